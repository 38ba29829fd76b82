create table sessions (
  id text primary key, status text not null, created_at text not null, closed_at text,
  next_msg_seq integer not null, head_hash text, compaction_version integer not null default 0);
create table messages (
  session_id text not null, seq integer not null, role text not null, kind text not null,
  content text not null, active integer not null default 1,
  compaction_version integer not null default 0, content_hash text, prev_hash text, hash text,
  created_at text not null, primary key (session_id, seq));
create table compactions (
  session_id text not null, version integer not null, summary_seq integer not null,
  original_seqs text not null, primary key (session_id, version));
insert into sessions values ('s1', 'idle', '2026-03-02T09:00:00Z', null, 3, '531650e671914197a18bf286a9f11f978eb2bf7ef13abb4747d5809a949fa8c9', 0);
insert into messages values ('s1', 1, 'user', 'text', '{"text":"go on"}', 1, 0, '77a419e1765ac9f3be09c3fbede5f2d3496baad1ab57ee48b1160ad8012cbd9e', '', 'ad1ca9c9fbf411f6a6aca1f3081ad8ab6e38d25e07d4b21ec27f2c46a00afefb', '2026-03-02T09:01:00Z');
insert into messages values ('s1', 2, 'assistant', 'call', '{"call_id":"c1","name":"deploy","arguments":{}}', 1, 0, '53faa6ceab7f5a75d67c7b8c913aa292e993207c0c88c9bc6b5e41ea93ab682e', 'ad1ca9c9fbf411f6a6aca1f3081ad8ab6e38d25e07d4b21ec27f2c46a00afefb', '531650e671914197a18bf286a9f11f978eb2bf7ef13abb4747d5809a949fa8c9', '2026-03-02T09:02:00Z');
