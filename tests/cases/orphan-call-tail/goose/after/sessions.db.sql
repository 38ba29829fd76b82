BEGIN TRANSACTION;
CREATE TABLE messages (
  id integer primary key autoincrement, message_id text,
  session_id text not null references sessions (id), role text not null,
  content_json text not null, created_timestamp integer not null,
  timestamp timestamp, tokens integer, metadata_json text);
INSERT INTO "messages" VALUES(1,'msg_1','20260302_1','user','[{"type":"text","text":"go"}]',1772442841000,'2026-03-02 09:14:01',NULL,'{"userVisible":true,"agentVisible":true}');
INSERT INTO "messages" VALUES(2,'msg_2','20260302_1','assistant','[{"type":"text","text":"I build it."},{"type":"toolRequest","id":"c1","toolCall":{"status":"success","value":{"name":"shell","arguments":{"command":"make"}}}}]',1772442842000,'2026-03-02 09:14:02',NULL,'{"userVisible":true,"agentVisible":true}');
INSERT INTO "messages" VALUES(3,'msg_7553bd29-fe70-8910-acc5-2ecf3f2aa30a','20260302_1','user','[{"type":"toolResponse","id":"c1","toolResult":{"status":"success","value":{"content":[{"type":"text","text":"[suture] Execution of this shell call was interrupted and its result is unknown: the session ended before a result was stored. The action may have taken effect, in part or in full. Check the current state before repeating it. Last stored record: 2026-03-02T09:14:02Z."}],"isError":true}}}]',1772442842000,'2026-03-02 09:14:02',NULL,'{"userVisible":true,"agentVisible":true}');
CREATE TABLE schema_version (version integer primary key, applied_at timestamp);
INSERT INTO "schema_version" VALUES(15,'2026-03-02 09:00:00');
CREATE TABLE sessions (
  id text primary key, name text not null default '', description text not null default '',
  user_set_name boolean default false, session_type text not null default 'user',
  working_dir text not null, created_at timestamp, updated_at timestamp,
  extension_data text default '{}', total_tokens integer, provider_name text,
  model_config_json text, goose_mode text not null default 'auto', parent_session_id text);
INSERT INTO "sessions" VALUES('20260302_1','shop','',0,'user','/srv/shop','2026-03-02 09:14:00','2026-03-02 09:14:09','{}',900,'acme','{"model_name":"model-x"}','auto',NULL);
CREATE INDEX messages_in_order on messages (session_id, created_timestamp, id);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('messages',3);
COMMIT;
