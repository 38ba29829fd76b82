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

-- Calls without a result, and whether the conversation went on after their batch, or elsewhere.
-- Counting from the end twice, all records and those of the batch, keeps this linear.
create view unanswered_calls as
with few as (select session, lane, call_n as n, call_part as part, state from pairing where state = 'open'),
spoken as (
    select session, lane, n, "group", coalesce(on_chain, true) as live_chain,
           row_number() over (partition by session, lane, coalesce(on_chain, true) order by n desc) as back,
           max(n) filter (where coalesce(on_chain, true)) over (partition by session, lane) as last_live
    from record
    where kind in ('prompt', 'reply', 'call', 'result', 'abort', 'summary')
      and session in (select session from few)
),
batched as (
    select session, lane, coalesce(batch, call_id) as batch, n from call
    where session in (select session from few)
    union
    select p.session, p.lane, coalesce(c.batch, c.call_id), p.result_n
    from pairing p join call c on c.session = p.session and c.n = p.call_n and c.part = p.call_part and c.lane = p.lane
    where p.result_n is not null and p.session in (select session from few)
    union
    select session, lane, "group", n from spoken where "group" is not null
),
ranked as (
    select b.session, b.lane, b.batch, b.n, s.back as back,
           not s.live_chain and s.last_live > b.n as passed_by,
           row_number() over (partition by b.session, b.lane, b.batch, s.live_chain order by b.n desc) as back_in_batch
    from batched b join spoken s using (session, lane, n)
),
siblings as (
    select c.session, c.lane, coalesce(c.batch, c.call_id) as batch,
           count(*) filter (where p.state in ('paired', 'before_call')) as answered
    from call c
    join pairing p on c.session = p.session and c.n = p.call_n and c.part = p.call_part and c.lane = p.lane
    where c.session in (select session from few)
    group by all
)
select c.*, r.back <> r.back_in_batch or r.passed_by as later, coalesce(s.answered, 0) as answered, p.state
from few p
join located_call_in('few') c on c.session = p.session and c.n = p.n and c.part = p.part and c.lane = p.lane
join ranked r on r.session = c.session and r.lane = c.lane and r.n = c.n
             and r.batch = coalesce(c.batch, c.call_id)
left join siblings s on s.session = c.session and s.lane = c.lane and s.batch = coalesce(c.batch, c.call_id)
where not c.server;
