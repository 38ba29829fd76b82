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
insert into agent_sessions values ('s1', '2026-03-02 09:14:01', '2026-03-02 09:14:04');
insert into agent_messages values
  (1, 's1', '{"role": "user", "content": "go"}',
   '2026-03-02 09:14:01');
insert into agent_messages values
  (2, 's1', '{"type": "function_call", "call_id": "call_a", "name": "make", "arguments": "{}"}',
   '2026-03-02 09:14:02');
insert into agent_messages values
  (3, 's1', '{"type": "function_call_output", "call_id": "call_a", "output": "done"}',
   '2026-03-02 09:14:03');
insert into agent_messages values
  (4, 's1', '{"type": "function_call_output", "call_id": "call_a", "output": "again"}',
   '2026-03-02 09:14:04');
insert into message_structure values
  (1, 's1', 1, 'main', 'user', 1, 1, 1, null, '2026-03-02 09:14:01'),
  (2, 's1', 2, 'main', 'function_call', 2, 1, 1, 'make', '2026-03-02 09:14:01'),
  (3, 's1', 3, 'main', 'function_call_output', 3, 1, 1, null, '2026-03-02 09:14:01'),
  (4, 's1', 1, 'b', 'user', 4, 1, 1, null, '2026-03-02 09:14:01'),
  (5, 's1', 2, 'b', 'function_call', 5, 1, 1, 'make', '2026-03-02 09:14:01'),
  (6, 's1', 4, 'b', 'function_call_output', 6, 1, 1, null, '2026-03-02 09:14:01');
