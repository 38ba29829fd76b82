BEGIN TRANSACTION;
CREATE TABLE messages (
  id text primary key, session_id text not null, role text not null,
  parts text not null default '[]', model text, created_at integer not null,
  updated_at integer not null, finished_at integer, provider text,
  is_summary_message integer default 0 not null,
  foreign key (session_id) references sessions (id) on delete cascade);
INSERT INTO "messages" VALUES('m1','s1','user','[{"type":"text","data":{"text":"go"}}]',NULL,1772442841,1772442841,NULL,NULL,0);
INSERT INTO "messages" VALUES('m2','s1','assistant','[{"type":"text","data":{"text":"Hello."}},{"type":"finish","data":{"reason":"end_turn","time":1772442841}}]','model-x',1772442842,1772442842,NULL,NULL,0);
CREATE TABLE sessions (
  id text primary key, parent_session_id text, title text not null,
  message_count integer not null default 0, prompt_tokens integer not null default 0,
  completion_tokens integer not null default 0, cost real not null default 0.0,
  updated_at integer not null, created_at integer not null, summary_message_id text, todos text);
INSERT INTO "sessions" VALUES('s1',NULL,'Orchard map',2,900,200,0.01,1772442841,1772442840,NULL,NULL);
COMMIT;
