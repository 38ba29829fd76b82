create table session (
  session_id varchar(128) primary key,
  next_msg_seq bigint not null default 1 check (next_msg_seq >= 1),
  context_compassion_version bigint not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now());
create table raw_message (
  session_id varchar(128) not null references session on delete cascade,
  seq bigint not null check (seq >= 1),
  role varchar(16) not null,
  content text not null default '',
  reasoning text,
  tool_calls jsonb,
  tool_call_id varchar(128),
  created_at timestamptz not null default now(),
  primary key (session_id, seq));
create table context_window_message (
  id bigint generated always as identity primary key,
  session_id varchar(128) not null references session on delete cascade,
  seq bigint not null,
  original_seqs jsonb not null check (jsonb_array_length(original_seqs) >= 1),
  compassion_version bigint not null default 0,
  role varchar(16) not null,
  content text not null default '',
  tool_calls jsonb,
  tool_call_id varchar(128),
  created_at timestamptz not null default now(),
  unique (session_id, compassion_version, seq));
