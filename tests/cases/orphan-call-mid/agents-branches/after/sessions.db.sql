BEGIN TRANSACTION;
CREATE TABLE agent_messages (
  id integer primary key autoincrement, session_id text not null, message_data text not null,
  created_at timestamp default current_timestamp,
  foreign key (session_id) references agent_sessions (session_id) on delete cascade);
INSERT INTO "agent_messages" VALUES(1,'s1','{"role": "user", "content": "go"}','2026-03-02 09:14:01');
INSERT INTO "agent_messages" VALUES(2,'s1','{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "yes"}]}','2026-03-02 09:14:02');
INSERT INTO "agent_messages" VALUES(3,'s1','{"role": "user", "content": "on"}','2026-03-02 09:14:03');
INSERT INTO "agent_messages" VALUES(4,'s1','{"type": "function_call", "call_id": "call_a", "name": "make", "arguments": "{}"}','2026-03-02 09:14:04');
INSERT INTO "agent_messages" VALUES(5,'s1','{"role": "user", "content": "well?"}','2026-03-02 09:14:05');
INSERT INTO "agent_messages" VALUES(6,'s1','{"role": "user", "content": "other"}','2026-03-02 09:14:06');
INSERT INTO "agent_messages" VALUES(7,'s1','{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "hm"}]}','2026-03-02 09:14:07');
INSERT INTO "agent_messages" VALUES(8,'s1','{"call_id": "call_a", "output": "[suture] Execution of this make call was interrupted and its result is unknown: the session ended before a result was stored. The action may have taken effect, in part or in full. Check the current state before repeating it. Last stored record: 2026-03-02 09:14:07.", "type": "function_call_output"}','2026-03-02 09:14:04');
CREATE TABLE agent_sessions (
  session_id text primary key, created_at timestamp default current_timestamp,
  updated_at timestamp default current_timestamp);
INSERT INTO "agent_sessions" VALUES('s1','2026-03-02 09:14:01','2026-03-02 09:14:07');
CREATE TABLE message_structure (
  id integer primary key autoincrement, session_id text not null, message_id integer not null,
  branch_id text not null default 'main', message_type text not null,
  sequence_number integer not null, user_turn_number integer, branch_turn_number integer,
  tool_name text, created_at timestamp default current_timestamp,
  foreign key (session_id) references agent_sessions (session_id) on delete cascade,
  foreign key (message_id) references agent_messages (id) on delete cascade);
INSERT INTO "message_structure" VALUES(1,'s1',1,'main','user',1,1,1,NULL,'2026-03-02 09:14:01');
INSERT INTO "message_structure" VALUES(2,'s1',2,'main','assistant',2,1,1,NULL,'2026-03-02 09:14:01');
INSERT INTO "message_structure" VALUES(3,'s1',3,'main','user',3,2,2,NULL,'2026-03-02 09:14:01');
INSERT INTO "message_structure" VALUES(4,'s1',4,'main','function_call',4,2,2,'make','2026-03-02 09:14:01');
INSERT INTO "message_structure" VALUES(5,'s1',5,'main','user',6,3,3,NULL,'2026-03-02 09:14:01');
INSERT INTO "message_structure" VALUES(6,'s1',1,'b','user',7,1,1,NULL,'2026-03-02 09:14:01');
INSERT INTO "message_structure" VALUES(7,'s1',2,'b','assistant',8,1,1,NULL,'2026-03-02 09:14:01');
INSERT INTO "message_structure" VALUES(8,'s1',3,'b','user',9,2,2,NULL,'2026-03-02 09:14:01');
INSERT INTO "message_structure" VALUES(9,'s1',4,'b','function_call',10,2,2,'make','2026-03-02 09:14:01');
INSERT INTO "message_structure" VALUES(10,'s1',6,'b','user',12,3,3,NULL,'2026-03-02 09:14:01');
INSERT INTO "message_structure" VALUES(11,'s1',7,'b','assistant',13,3,3,NULL,'2026-03-02 09:14:01');
INSERT INTO "message_structure" VALUES(12,'s1',8,'main','function_call_output',5,2,2,NULL,'2026-03-02 09:14:04');
INSERT INTO "message_structure" VALUES(13,'s1',8,'b','function_call_output',11,2,2,NULL,'2026-03-02 09:14:04');
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('agent_messages',8);
INSERT INTO "sqlite_sequence" VALUES('message_structure',13);
COMMIT;
