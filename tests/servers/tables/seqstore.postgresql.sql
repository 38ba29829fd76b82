create table sessions (
  id varchar(64) primary key,
  status text not null,
  created_at text not null,
  closed_at text,
  next_msg_seq integer not null,
  head_hash text,
  compaction_version integer not null default 0);
create table messages (
  session_id varchar(64) not null,
  seq integer not null,
  role text not null,
  kind text not null,
  content text not null,
  active integer not null default 1,
  compaction_version integer not null default 0,
  content_hash text,
  prev_hash text,
  hash text,
  created_at text not null,
  primary key (session_id, seq));
create table compactions (
  session_id varchar(64) not null,
  version integer not null,
  summary_seq integer not null,
  original_seqs text not null,
  primary key (session_id, version));
