create table agent_sessions (
  session_id text primary key, created_at timestamp default current_timestamp,
  updated_at timestamp default current_timestamp);
create table agent_messages (
  id integer primary key autoincrement, session_id text not null, message_data text not null,
  created_at timestamp default current_timestamp,
  foreign key (session_id) references agent_sessions (session_id) on delete cascade);
insert into agent_sessions values ('s1', '2026-03-02 09:14:01', '2026-03-02 09:14:03');
insert into agent_messages values
  (1, 's1', '{"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAA"}',
   '2026-03-02 09:14:01');
insert into agent_messages values
  (2, 's1', '{"role": "user", "content": "on"}',
   '2026-03-02 09:14:02');
insert into agent_messages values
  (3, 's1', '{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "yes"}]}',
   '2026-03-02 09:14:03');
