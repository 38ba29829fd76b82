BEGIN TRANSACTION;
CREATE TABLE adk_internal_metadata (
  key varchar(128) not null primary key, value varchar(256) not null);
INSERT INTO "adk_internal_metadata" VALUES('schema_version','1');
CREATE TABLE app_states (
  app_name varchar(128) not null primary key, state text not null, update_time datetime not null);
INSERT INTO "app_states" VALUES('shop','{}','2026-03-02 09:14:01.000000');
CREATE TABLE events (
  id varchar(128) not null, app_name varchar(128) not null, user_id varchar(128) not null,
  session_id varchar(128) not null, invocation_id varchar(256) not null,
  timestamp datetime not null, event_data text,
  primary key (id, app_name, user_id, session_id),
  foreign key (app_name, user_id, session_id) references sessions (app_name, user_id, id));
INSERT INTO "events" VALUES('u1','shop','ann','s1','e-1','2026-03-02 09:14:01.000000','{"content": {"parts": [{"text": "go"}], "role": "user"}, "invocation_id": "e-1", "author": "user", "actions": {"state_delta": {}}, "id": "u1", "timestamp": 1772442841.0}');
CREATE TABLE sessions (
  app_name varchar(128) not null, user_id varchar(128) not null, id varchar(128) not null,
  state text not null, create_time datetime not null, update_time datetime not null,
  primary key (app_name, user_id, id));
INSERT INTO "sessions" VALUES('shop','ann','s1','{}','2026-03-02 09:14:01.000000','2026-03-02 09:14:02.000001');
CREATE TABLE user_states (
  app_name varchar(128) not null, user_id varchar(128) not null, state text not null,
  update_time datetime not null, primary key (app_name, user_id));
INSERT INTO "user_states" VALUES('shop','ann','{}','2026-03-02 09:14:01.000000');
COMMIT;
