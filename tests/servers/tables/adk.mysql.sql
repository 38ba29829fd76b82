create table adk_internal_metadata (
  `key` varchar(128) not null primary key,
  value varchar(256) not null);
create table sessions (
  app_name varchar(128) not null,
  user_id varchar(128) not null,
  id varchar(128) not null,
  state longtext not null,
  create_time datetime(6) not null,
  update_time datetime(6) not null,
  primary key (app_name, user_id, id));
create table app_states (
  app_name varchar(128) not null primary key,
  state longtext not null,
  update_time datetime(6) not null);
create table user_states (
  app_name varchar(128) not null,
  user_id varchar(128) not null,
  state longtext not null,
  update_time datetime(6) not null,
  primary key (app_name, user_id));
create table events (
  id varchar(128) not null,
  app_name varchar(128) not null,
  user_id varchar(128) not null,
  session_id varchar(128) not null,
  invocation_id varchar(256) not null,
  timestamp datetime(6) not null,
  event_data longtext,
  primary key (id, app_name, user_id, session_id),
  foreign key (app_name, user_id, session_id)
    references sessions (app_name, user_id, id) on delete cascade);
