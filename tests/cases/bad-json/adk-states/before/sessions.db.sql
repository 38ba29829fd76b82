create table adk_internal_metadata (
  key varchar(128) not null primary key, value varchar(256) not null);
create table sessions (
  app_name varchar(128) not null, user_id varchar(128) not null, id varchar(128) not null,
  state text not null, create_time datetime not null, update_time datetime not null,
  primary key (app_name, user_id, id));
create table app_states (
  app_name varchar(128) not null primary key, state text not null, update_time datetime not null);
create table user_states (
  app_name varchar(128) not null, user_id varchar(128) not null, state text not null,
  update_time datetime not null, primary key (app_name, user_id));
create table events (
  id varchar(128) not null, app_name varchar(128) not null, user_id varchar(128) not null,
  session_id varchar(128) not null, invocation_id varchar(256) not null,
  timestamp datetime not null, event_data text,
  primary key (id, app_name, user_id, session_id),
  foreign key (app_name, user_id, session_id) references sessions (app_name, user_id, id));
insert into adk_internal_metadata values ('schema_version', '1');
insert into sessions values
  ('shop', 'ann', 's1', '{''theme'': None}', '2026-03-02 09:14:01.000000', '2026-03-02 09:14:02.000000');
insert into events values
  ('u1', 'shop', 'ann', 's1', 'e-1', '2026-03-02 09:14:01.000000',
   '{"content": {"parts": [{"text": "go"}], "role": "user"}, "invocation_id": "e-1", "author": "user", "actions": {"state_delta": {}}, "id": "u1", "timestamp": 1772442841.0}');
insert into events values
  ('m1', 'shop', 'ann', 's1', 'e-1', '2026-03-02 09:14:02.000000',
   '{"content": {"parts": [{"text": "ok"}], "role": "model"}, "invocation_id": "e-1", "author": "bot", "actions": {"state_delta": {}}, "id": "m1", "timestamp": 1772442842.0}');
insert into app_states values ('shop', '[]', '2026-03-02 09:14:01.000000');
insert into user_states values ('shop', 'ann', '{"na', '2026-03-02 09:14:01.000000');
