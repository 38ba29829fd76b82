-- Calls without a result, and whether the conversation went on after their batch, or elsewhere.
-- An event that ends a turn says nothing to the model, and nothing goes on behind it.
-- Counting from the end twice, all records and those of the batch, keeps this linear.
create table unanswered as
with few as (
    select p.session, p.lane, p.call_n as n, p.call_part as part, coalesce(c.batch, c.call_id) as batch, p.state
    from pairing p join call c on c.session = p.session and c.n = p.call_n and c.part = p.call_part and c.lane = p.lane
    where p.state = 'open' and not c.server
),
spoken as (
    select session, lane, n, "group", coalesce(on_chain, true) as live_chain,
           row_number() over (partition by session, lane, coalesce(on_chain, true) order by n desc) as back,
           max(n) filter (where coalesce(on_chain, true)) over (partition by session, lane) as last_live
    from record
    where (kind in ('prompt', 'reply', 'call', 'result', 'summary') or kind = 'abort' and sent is not false)
      and session in (select session from few)
),
member as (
    select c.session, c.lane, c.batch, c.n, c.part
    from (select session, lane, coalesce(batch, call_id) as batch, n, part from call) c semi join few using (session, lane, batch)
),
paired as (
    select m.session, m.lane, m.batch, p.result_n, p.state
    from member m
    join pairing p on p.session = m.session and p.call_n = m.n and p.call_part = m.part and p.lane = m.lane
),
batched as (
    select session, lane, batch, n from member
    union
    select session, lane, batch, result_n from paired where result_n is not null
    union
    select s.session, s.lane, s."group", s.n
    from spoken s semi join few f on f.session = s.session and f.lane = s.lane and f.batch = s."group"
),
ranked as (
    select b.session, b.lane, b.batch, b.n, s.back as back,
           not s.live_chain and s.last_live > b.n as passed_by,
           row_number() over (partition by b.session, b.lane, b.batch, s.live_chain order by b.n desc) as back_in_batch
    from batched b join spoken s using (session, lane, n)
),
siblings as (
    select session, lane, batch, count(*) filter (where state in ('paired', 'before_call')) as answered
    from paired group by all
)
select c.*, r.back <> r.back_in_batch or r.passed_by as later, coalesce(s.answered, 0) as answered, p.state
from few p
join located_call_in('few') c on c.session = p.session and c.n = p.n and c.part = p.part and c.lane = p.lane
join ranked r on r.session = p.session and r.lane = p.lane and r.n = p.n and r.batch = p.batch
left join siblings s on s.session = p.session and s.lane = p.lane and s.batch = p.batch;
