BEGIN TRANSACTION;
CREATE TABLE messages (
  id text primary key, session_id text not null, role text not null,
  parts text not null default '[]', model text, created_at integer not null,
  updated_at integer not null, finished_at integer, provider text,
  is_summary_message integer default 0 not null,
  foreign key (session_id) references sessions (id) on delete cascade);
INSERT INTO "messages" VALUES('m1','s1','user','[{"type":"text","data":{"text":"go"}}]',NULL,1772442841,1772442841,NULL,NULL,0);
INSERT INTO "messages" VALUES('m2','s1','assistant','[{"type":"tool_call","data":{"id":"c1","name":"bash","input":"{\"command\":\"make\"}","provider_executed":false,"finished":true}},{"type":"finish","data":{"reason":"tool_use","time":1772442841}}]','model-x',1772442842,1772442842,NULL,NULL,0);
INSERT INTO "messages" VALUES('m3','s1','user','[{"type":"text","data":{"text":"well?"}}]',NULL,1772442843,1772442843,NULL,NULL,0);
INSERT INTO "messages" VALUES('m4','s1','assistant','[{"type":"text","data":{"text":"Yes."}},{"type":"finish","data":{"reason":"end_turn","time":1772442841}}]','model-x',1772442844,1772442844,NULL,NULL,0);
INSERT INTO "messages" VALUES('b8dbf703-4b71-813e-acb9-9df9427cb563','s1','tool','[{"type":"tool_result","data":{"tool_call_id":"c1","name":"bash","content":"[suture] Execution of this bash call was interrupted and its result is unknown: the session ended before a result was stored. The action may have taken effect, in part or in full. Check the current state before repeating it. Last stored record: 2026-03-02T09:14:04Z.","is_error":true}}]',NULL,1772442842,1772442842,NULL,NULL,0);
CREATE TABLE sessions (
  id text primary key, parent_session_id text, title text not null,
  message_count integer not null default 0, prompt_tokens integer not null default 0,
  completion_tokens integer not null default 0, cost real not null default 0.0,
  updated_at integer not null, created_at integer not null, summary_message_id text, todos text);
INSERT INTO "sessions" VALUES('s1',NULL,'Orchard map',5,900,200,0.01,1772442841,1772442840,NULL,NULL);
COMMIT;
