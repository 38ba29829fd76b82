create table session (
  session_id varchar(128) not null primary key,
  next_msg_seq bigint unsigned not null default 1,
  context_compassion_version bigint unsigned not null default 0,
  created_at datetime(6) not null default current_timestamp(6),
  updated_at datetime(6) not null default current_timestamp(6) on update current_timestamp(6))
  engine=innodb default charset=utf8mb4;
create table raw_message (
  session_id varchar(128) not null,
  seq bigint unsigned not null,
  role varchar(16) not null,
  content longtext not null,
  reasoning longtext,
  tool_calls json,
  tool_call_id varchar(128),
  created_at datetime(6) not null,
  primary key (session_id, seq),
  foreign key (session_id) references session (session_id) on delete cascade)
  engine=innodb default charset=utf8mb4;
create table context_window_message (
  id bigint unsigned not null auto_increment primary key,
  session_id varchar(128) not null,
  seq bigint unsigned not null,
  original_seqs json not null,
  compassion_version bigint unsigned not null default 0,
  role varchar(16) not null,
  content longtext not null,
  tool_calls json,
  tool_call_id varchar(128),
  created_at datetime(6) not null,
  unique key (session_id, compassion_version, seq),
  foreign key (session_id) references session (session_id) on delete cascade)
  engine=innodb default charset=utf8mb4;
