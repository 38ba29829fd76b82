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
  author varchar(256) not null, actions blob not null, long_running_tool_ids_json text,
  timestamp datetime not null, content text, primary key (id, app_name, user_id, session_id));
insert into sessions values
  ('shop', 'ann', 's1', '{}', '2026-03-02 09:14:01.000000', '2026-03-02 09:14:02.000000');
insert into app_states values ('shop', '{}', '2026-03-02 09:14:01.000000');
insert into user_states values ('shop', 'ann', '{}', '2026-03-02 09:14:01.000000');
insert into events values
  ('u1', 'shop', 'ann', 's1', 'e-1', 'user', x'80047d942e', null, '2026-03-02 09:14:01.000000',
   '{"role":"user","parts":[{"text":"go"}]}'),
  ('m1', 'shop', 'ann', 's1', 'e-1', 'bot', x'80047d94', '["adk-b"]', '2026-03-02 09:14:02.000000',
   '{"role":"model","parts":[{"function_call":{"id":"adk-a","name":"ship"}},{"function_call":{"id":"adk-b","name":"ask"}}]}');
