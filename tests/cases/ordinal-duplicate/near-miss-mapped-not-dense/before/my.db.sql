create table sessions (
  id text primary key, status text not null, created_at text not null, closed_at text,
  next_msg_seq integer not null, head_hash text, compaction_version integer not null default 0);
create table messages (
  session_id text not null, seq integer not null, role text not null, kind text not null,
  content text not null, active integer not null default 1,
  compaction_version integer not null default 0, content_hash text, prev_hash text, hash text,
  created_at text not null);
create table compactions (
  session_id text not null, version integer not null, summary_seq integer not null,
  original_seqs text not null, primary key (session_id, version));
insert into sessions values ('s1', 'idle', '2026-03-02T09:00:00Z', null, 4, null, 0);
insert into messages values ('s1', 1, 'user', 'text', '{"text":"go"}', 1, 0, null, null, null, '2026-03-02T09:01:00Z');
insert into messages values ('s1', 2, 'assistant', 'text', '{"text":"done"}', 1, 0, null, null, null, '2026-03-02T09:02:00Z');
insert into messages values ('s1', 3, 'user', 'text', '{"text":"and?"}', 1, 0, null, null, null, '2026-03-02T09:03:00Z');
insert into messages values ('s1', 3, 'user', 'text', '{"text":"what?"}', 1, 0, null, null, null, '2026-03-02T09:03:00Z');
