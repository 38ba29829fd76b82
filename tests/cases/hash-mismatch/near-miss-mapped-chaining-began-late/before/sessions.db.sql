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
insert into sessions values ('s1', 'idle', '2026-03-02T09:00:00Z', null, 4, '113ecb31ee921111a2e62eada7ce64e36f23b5f153ade70f329a3138e77bc827', 0);
insert into messages values ('s1', 1, 'user', 'text', '{"text":"a"}', 1, 0, null, null, null, '2026-03-02T09:01:00Z');
insert into messages values ('s1', 2, 'assistant', 'text', '{"text":"b"}', 1, 0, '7b8de1c2be81d629aaac41de6be74133f8c90b9747098a3fc1a7adc9274cb35e', '', 'ab1028b9189ea5916b2e7e737ed3f7b27b2c88de11f60976f8ea8841002c46da', '2026-03-02T09:02:00Z');
insert into messages values ('s1', 3, 'user', 'text', '{"text":"c"}', 1, 0, '513d358725f0021b7e3e02911876546e92f40d6f4bee71fda1141de1d6215569', 'ab1028b9189ea5916b2e7e737ed3f7b27b2c88de11f60976f8ea8841002c46da', '113ecb31ee921111a2e62eada7ce64e36f23b5f153ade70f329a3138e77bc827', '2026-03-02T09:03:00Z');
