create table agent_sessions (
  session_id text primary key, created_at timestamp default current_timestamp,
  updated_at timestamp default current_timestamp);
create table agent_messages (
  id integer primary key autoincrement, session_id text not null, message_data text not null,
  created_at timestamp default current_timestamp,
  foreign key (session_id) references agent_sessions (session_id) on delete cascade);
create table message_structure (
  id integer primary key autoincrement, session_id text not null, message_id integer not null,
  branch_id text not null default 'main', message_type text not null,
  sequence_number integer not null, user_turn_number integer, branch_turn_number integer,
  tool_name text, created_at timestamp default current_timestamp,
  foreign key (session_id) references agent_sessions (session_id) on delete cascade,
  foreign key (message_id) references agent_messages (id) on delete cascade);
insert into agent_sessions values ('s1', '2026-03-02 09:14:01', '2026-03-02 09:14:03');
insert into agent_messages values
  (1, 's1', '{"role": "user", "content": "go"}',
   '2026-03-02 09:14:01');
insert into agent_messages values
  (2, 's1', '{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "fine"}]}',
   '2026-03-02 09:14:02');
insert into agent_messages values
  (3, 's1', '{"role": "user", "content": "on"}',
   '2026-03-02 09:14:03');
insert into message_structure values
  (1, 's1', 1, 'main', 'user', 1, 1, 1, null, '2026-03-02 09:14:01'),
  (2, 's1', 3, 'main', 'user', 2, 2, 2, null, '2026-03-02 09:14:01');
update message_structure set branch_turn_number = 9223372036854775807 where id = 2;
insert into agent_messages values
  (4, 's1', '{"role": "user", "content": "more"}', '2026-03-02 09:14:04');
