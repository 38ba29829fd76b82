select
    w.public as session_id,
    t.turn as turn_no,
    t.id as native_turn_id,
    case when p.n is not null then 'user' else 'unknown' end as trigger,
    t.start_n as first_seq,
    coalesce(t.end_n, lead(t.start_n) over w - 1, l.n) as last_seq,
    p.n as user_seq,
    r.n as final_seq,
    make_timestamptz(t.started) as started_at,
    make_timestamptz(t.ended) as ended_at,
    (t.ended - t.started) // 1000 as wall_ms,
    (t.started - lag(t.ended) over w) // 1000 as idle_before_ms,
    coalesce(st.n, 0) as n_steps,
    coalesce(c.n, 0) as n_tool_calls,
    case t.status when 'complete' then 'completed' when 'aborted' then 'aborted' when 'failed' then 'error'
         when 'implicit' then 'aborted' else 'open' end as status
from turn t
join session s using (session)
join named w using (session)
left join (select session, max(n) as n from record where lane <> 'log' group by 1) l using (session)
left join (select session, turn_no, min(n) as n from placed where kind = 'prompt' group by 1, 2) p on p.session = t.session and p.turn_no = t.turn
left join (select session, turn_no, max(n) as n from placed where kind = 'reply' group by 1, 2) r on r.session = t.session and r.turn_no = t.turn
left join (select session, turn, count(*) as n from step group by 1, 2) st on st.session = t.session and st.turn = t.turn
left join (select c.session, p.turn_no, count(*) as n from call c join placed p on p.session = c.session and p.n = c.n group by 1, 2) c
  on c.session = t.session and c.turn_no = t.turn
where t.start_n is not null
window w as (partition by t.session order by t.turn)
