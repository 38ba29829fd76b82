BEGIN TRANSACTION;
CREATE TABLE messages (
  id text primary key, session_id text not null, role text not null,
  parts text not null default '[]', model text, created_at integer not null,
  updated_at integer not null, finished_at integer, provider text,
  is_summary_message integer default 0 not null,
  foreign key (session_id) references sessions (id) on delete cascade) without rowid;
INSERT INTO "messages" VALUES('m1','s1','user','[{"type":"text","data":{"text":"go"}}]',NULL,1772442841,1772442841,NULL,NULL,0);
INSERT INTO "messages" VALUES('m2','s1','assistant','[{"type":"text","data":{"text":"I build it."}},{"type":"tool_call","data":{"id":"c1","name":"bash","input":"{\"command\":\"make\"}","provider_executed":false,"finished":true}},{"type":"finish","data":{"reason":"tool_use","time":1772442841}}]','model-x',1772442842,1772442842,NULL,NULL,0);
INSERT INTO "messages" VALUES('m3','s1','tool','[{"type":"tool_result","data":{"tool_call_id":"c1","name":"bash","content":"ok","is_error":false}}]',NULL,1772442843,1772442843,NULL,NULL,0);
INSERT INTO "messages" VALUES('m4','s1','assistant','[{"type":"text","data":{"text":"Built."}},{"type":"finish","data":{"reason":"end_turn","time":1772442841}}]','model-x',1772442844,1772442844,NULL,NULL,0);
INSERT INTO "messages" VALUES('m5','s1','assistant','[{"type":"text","data":{"text":"The user had it built; it is."}},{"type":"finish","data":{"reason":"end_turn","time":1772442841}}]','model-x',1772442845,1772442845,NULL,NULL,1);
INSERT INTO "messages" VALUES('m6','s1','user','[{"type":"text","data":{"text":"Thanks"}}]',NULL,1772442846,1772442846,NULL,NULL,0);
INSERT INTO "messages" VALUES('m7','s1','assistant','[{"type":"text","data":{"text":"Gladly."}},{"type":"finish","data":{"reason":"end_turn","time":1772442841}}]','model-x',1772442847,1772442847,NULL,NULL,0);
CREATE TABLE sessions (
  id text primary key, parent_session_id text, title text not null,
  message_count integer not null default 0, prompt_tokens integer not null default 0,
  completion_tokens integer not null default 0, cost real not null default 0.0,
  updated_at integer not null, created_at integer not null, summary_message_id text, todos text);
INSERT INTO "sessions" VALUES('s1',NULL,'Orchard map',7,900,200,0.01,1795988135,1772442840,'m5',NULL);
CREATE TRIGGER sessions_time after update on sessions begin
  update sessions set updated_at = strftime('%s', 'now') where id = new.id; end;
CREATE TRIGGER messages_time after update on messages begin
  update messages set updated_at = strftime('%s', 'now') where id = new.id; end;
CREATE TRIGGER counted_in after insert on messages begin
  update sessions set message_count = message_count + 1 where id = new.session_id; end;
CREATE TRIGGER counted_out after delete on messages begin
  update sessions set message_count = message_count - 1 where id = old.session_id; end;
COMMIT;
