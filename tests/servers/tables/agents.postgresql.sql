create table agent_sessions (
  session_id varchar not null primary key,
  created_at timestamp default current_timestamp not null,
  updated_at timestamp default current_timestamp not null);
create table agent_messages (
  id serial not null primary key,
  session_id varchar not null references agent_sessions (session_id) on delete cascade,
  message_data text not null,
  created_at timestamp default current_timestamp not null);
create index idx_agent_messages_session_time on agent_messages (session_id, created_at);
