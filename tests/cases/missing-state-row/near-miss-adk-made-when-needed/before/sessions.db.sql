create table sessions (
  app_name text not null, user_id text not null, id text not null, state text not null,
  create_time real not null, update_time real not null, primary key (app_name, user_id, id));
create table app_states (app_name text primary key, state text not null, update_time real not null);
create table user_states (
  app_name text not null, user_id text not null, state text not null, update_time real not null,
  primary key (app_name, user_id));
create table events (
  id text not null, app_name text not null, user_id text not null, session_id text not null,
  invocation_id text not null, timestamp real not null, event_data text not null,
  primary key (app_name, user_id, session_id, id),
  foreign key (app_name, user_id, session_id) references sessions (app_name, user_id, id));
insert into sessions values
  ('shop', 'ann', 's1', '{}', 1772442841.0, 1772442842.0);
insert into events values
  ('u1', 'shop', 'ann', 's1', 'e-1', 1772442841.0,
   '{"content":{"parts":[{"text":"go"}],"role":"user"},"invocation_id":"e-1","author":"user","actions":{"state_delta":{}},"id":"u1","timestamp":1772442841.0}');
insert into events values
  ('m1', 'shop', 'ann', 's1', 'e-1', 1772442842.0,
   '{"content":{"parts":[{"text":"ok"}],"role":"model"},"invocation_id":"e-1","author":"bot","actions":{"state_delta":{}},"id":"m1","timestamp":1772442842.0}');
