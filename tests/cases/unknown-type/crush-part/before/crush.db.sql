create table sessions (
  id text primary key, parent_session_id text, title text not null,
  message_count integer not null default 0, prompt_tokens integer not null default 0,
  completion_tokens integer not null default 0, cost real not null default 0.0,
  updated_at integer not null, created_at integer not null, summary_message_id text, todos text);
create table messages (
  id text primary key, session_id text not null, role text not null,
  parts text not null default '[]', model text, created_at integer not null,
  updated_at integer not null, finished_at integer, provider text,
  is_summary_message integer default 0 not null,
  foreign key (session_id) references sessions (id) on delete cascade);
insert into sessions values
  ('s1', null, 'Orchard map', 3, 900, 200, 0.01, 1772442841, 1772442840, null, null);
insert into messages values
  ('m1', 's1', 'user', '[{"type":"text","data":{"text":"go"}}]',
   null, 1772442841, 1772442841, null, null, 0);
insert into messages values
  ('m2', 's1', 'assistant', '[{"type":"text","data":{"text":"See here."}},{"type":"citation","data":{"url":"x"}},{"type":"finish","data":{"reason":"end_turn","time":1772442842}}]',
   'model-x', 1772442842, 1772442842, null, null, 0);
insert into messages values
  ('m3', 's1', 'assistant', '[{"type":"text","data":{"text":"Yes."}},{"type":"finish","data":{"reason":"end_turn","time":1772442841}}]',
   'model-x', 1772442843, 1772442843, null, null, 0);
