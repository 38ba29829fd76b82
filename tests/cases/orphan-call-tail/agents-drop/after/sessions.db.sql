BEGIN TRANSACTION;
CREATE TABLE agent_messages (
  id integer primary key autoincrement, session_id text not null, message_data text not null,
  created_at timestamp default current_timestamp,
  foreign key (session_id) references agent_sessions (session_id) on delete cascade);
INSERT INTO "agent_messages" VALUES(1,'s1','{"role": "user", "content": "go"}','2026-03-02 09:14:01');
INSERT INTO "agent_messages" VALUES(4,'s1','{"role": "user", "content": "[suture] The session was interrupted here. Unfinished tool calls were taken out of this history: make. Their outcome is unknown, they may have taken effect; check the current state before repeating them. The session goes on from this point. The last stored record is of 2026-03-02 09:14:03."}','2026-03-02 09:14:01');
CREATE TABLE agent_sessions (
  session_id text primary key, created_at timestamp default current_timestamp,
  updated_at timestamp default current_timestamp);
INSERT INTO "agent_sessions" VALUES('s1','2026-03-02 09:14:01','2026-03-02 09:14:03');
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('agent_messages',4);
COMMIT;
