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
insert into sessions values ('s1', 'idle', '2026-03-02T09:00:00Z', null, 3, 'aca4b80506d361d7de2969c01549b423a01330830ae213c079d96dfd3f3237c3', 0);
insert into messages values ('s1', 1, 'user', 'text', '{"text":"a"}', 1, 0, '6193c97585a0f731ce7b500bb69d2476816afb14c8d95ac8e6e865f680e9e438', '', '0ae2fda444fc3a8437592b2ba3914b5924651718b6ba2cfbd0f1ed03f796c5d2', '2026-03-02T09:01:00Z');
insert into messages values ('s1', 2, 'assistant', 'text', '{"text":"b"}', 1, 0, '7b8de1c2be81d629aaac41de6be74133f8c90b9747098a3fc1a7adc9274cb35e', '0ae2fda444fc3a8437592b2ba3914b5924651718b6ba2cfbd0f1ed03f796c5d2', 'aca4b80506d361d7de2969c01549b423a01330830ae213c079d96dfd3f3237c3', '2026-03-02T09:02:00Z');
