create table sessions (
  id text primary key, status text not null, created_at text not null, closed_at text,
  next_msg_seq integer not null, head_hash text, compaction_version integer not null default 0);
create table messages (
  session_id text, seq integer not null, role text not null, kind text not null,
  content text not null, active integer not null default 1,
  compaction_version integer not null default 0, content_hash text, prev_hash text, hash text,
  created_at text not null, primary key (session_id, seq));
create table compactions (
  session_id text not null, version integer not null, summary_seq integer not null,
  original_seqs text not null, primary key (session_id, version));
insert into sessions values ('s1', 'interrupted', '2026-03-02T09:00:00Z', null, 6, null, 0);
insert into messages values ('s1', 1, 'user', 'text', '{"text":"go on"}', 1, 0, null, null, null, '2026-03-02T09:01:00Z');
insert into messages values ('s1', 2, 'assistant', 'text', '{"text":"done"}', 1, 0, null, null, null, '2026-03-02T09:02:00Z');
insert into messages values (null, 3, 'user', 'text', '{"text":"and test it"}', 1, 0, null, null, null, '2026-03-02T09:03:00Z');
insert into messages values (null, 4, 'assistant', 'text', '{"text":"tested"}', 1, 0, null, null, null, '2026-03-02T09:04:00Z');
insert into messages values ('s1', 5, 'user', 'text', '{"text":"thanks"}', 1, 0, null, null, null, '2026-03-02T09:05:00Z');
