create table agent_sessions (
  session_id varchar(255) not null primary key,
  created_at timestamp default current_timestamp not null,
  updated_at timestamp default current_timestamp not null)
  engine=innodb default charset=utf8mb4;
create table agent_messages (
  id integer not null auto_increment primary key,
  session_id varchar(255) not null,
  message_data text not null,
  created_at timestamp default current_timestamp not null,
  foreign key (session_id) references agent_sessions (session_id) on delete cascade)
  engine=innodb default charset=utf8mb4;
create index idx_agent_messages_session_time on agent_messages (session_id, created_at);
