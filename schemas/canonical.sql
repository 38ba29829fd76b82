-- Views over the canonical tables. The tables themselves are made from model/rows.py.

-- A record with the session and file it stands in: what a finding needs to name the place.
create view located as
select r.*, s.unit, s.id as session_id, s.store, s.path, s.live, s.variant, s.kind as session_kind
from record r join session s using (session);

-- The records that talk: what a person, the model or a tool said.
create view talk as
select * from located where kind in ('prompt', 'reply', 'reasoning', 'call', 'result', 'summary', 'abort');

create view damaged as
select d.*, s.id as session_id, s.store, s.live
from damage d left join session s on d.session = s.session;

create view located_call as
select c.*, r.unit, r.session_id, r.store, r.path, r.live, r.line, r."offset", r.length,
       r."table", r.key, r.on_chain, r.sent, r.time, r.id, r.parent, r."group", r.recovered
from call c join located r on c.session = r.session and c.n = r.n;

create view located_result as
select c.*, r.unit, r.session_id, r.store, r.path, r.live, r.line, r."offset", r.length,
       r."table", r.key, r.on_chain, r.sent, r.time, r.id, r.parent, r."group", r.recovered
from result c join located r on c.session = r.session and c.n = r.n;

-- The same of a few records: `few` names a table with their session and n. A join with the views above
-- reads every column of all records; this reads them where those few stand.
create macro located_in(few) as table
select r.*, s.unit, s.id as session_id, s.store, s.path, s.live, s.variant, s.kind as session_kind
from record r join session s using (session)
where r.rowid in (
    select k.rowid from record k semi join query_table(few) f on f.session = k.session and f.n = k.n);

create macro located_call_in(few) as table
select c.*, r.unit, r.session_id, r.store, r.path, r.live, r.line, r."offset", r.length,
       r."table", r.key, r.on_chain, r.sent, r.time, r.id, r.parent, r."group", r.recovered
from call c join located_in(few) r on c.session = r.session and c.n = r.n;

create macro located_result_in(few) as table
select c.*, r.unit, r.session_id, r.store, r.path, r.live, r.line, r."offset", r.length,
       r."table", r.key, r.on_chain, r.sent, r.time, r.id, r.parent, r."group", r.recovered
from result c join located_in(few) r on c.session = r.session and c.n = r.n;

-- Odd content with the record that it stands in.
create view odd as
select o.* exclude ("offset", length), o."offset" as odd_offset, o.length as odd_length, r.unit,
       r.session_id, r.store, r.variant, r.path, r.live, r.line, r."offset", r.length, r."table",
       r.key, r.id, r.ordinal, r.lane, r.on_chain, r.sent, r.kind as record_kind
from odd_part o join located r using (session, n);
