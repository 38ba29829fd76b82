create table schema_version (version integer primary key, applied_at timestamp);
insert into schema_version values (15, '2026-03-02 09:00:00');
create table sessions (
  id text primary key, name text not null default '', description text not null default '',
  user_set_name boolean default false, session_type text not null default 'user',
  working_dir text not null, created_at timestamp, updated_at timestamp,
  extension_data text default '{}', total_tokens integer, provider_name text,
  model_config_json text, goose_mode text not null default 'auto', parent_session_id text);
create table messages (
  id integer primary key autoincrement, message_id text,
  session_id text not null references sessions (id), role text not null,
  content_json text not null, created_timestamp integer not null,
  timestamp timestamp, tokens integer, metadata_json text);
create index messages_in_order on messages (session_id, created_timestamp, id);
insert into sessions values
  ('20260302_1', 'shop', '', 0, 'user', '/srv/shop', '2026-03-02 09:14:00', '2026-03-02 09:14:09',
   '{}', 900, 'acme', '{"model_name":"model-x"}', 'auto', null);
insert into messages values
  (1, 'msg_1', '20260302_1', 'user', '[{"type":"text","text":"go"}]',
   1772442841000, '2026-03-02 09:14:01', null, '{"userVisible":true,"agentVisible":true}');
insert into messages values
  (2, 'msg_2', '20260302_1', 'assistant', '[{"type":"widget","data":{}}]',
   1772442842000, '2026-03-02 09:14:02', null, '{"userVisible":true,"agentVisible":true}');
insert into messages values
  (3, 'msg_3', '20260302_1', 'assistant', '[{"type":"text","text":"Done."},{"type":"chart","data":{}}]',
   1772442843000, '2026-03-02 09:14:03', null, '{"userVisible":true,"agentVisible":true}');
