with made as (
    select p.session, p.call_id, p.call_n, p.call_part, p.result_n, p.result_part, p.state
    from pairing p where p.state <> 'duplicate' and p.lane not like 'snapshot:%' and p.lane <> 'window'),
-- OpenCode keeps a call and its result in one record, with the milliseconds of both.
blocks as (
    select session, n, part, try_cast(try(decode(data)) as json) as block from part where type = 'call'),
timed as (
    select b.*, case when s.store = 'opencode' then try_cast(json_extract_string(block, '$.state.time.start') as bigint) * 1000 end as began,
           case when s.store = 'opencode' then try_cast(json_extract_string(block, '$.state.time.end') as bigint) * 1000 end as done
    from blocks b join session s using (session))
select
    w.public as session_id,
    row_number() over (partition by m.session order by coalesce(m.call_n, m.result_n), coalesce(m.call_part, m.result_part), m.call_id) - 1 as call_no,
    m.call_id as call_id,
    a.turn_no as turn_no,
    a.step_no as step_no,
    coalesce(a.window_no, b.window_no, 0) as window_no,
    m.call_n as call_seq,
    m.result_n as result_seq,
    coalesce(c.name, '') as name,
    case when starts_with(c.name, 'mcp__') then split_part(c.name, '__', 2) end as server,
    case when c.side_effect = 'none' then 'read' when lower(c.name) in ('bash', 'shell', 'exec_command', 'local_shell') then 'shell'
         when lower(c.name) in ('edit', 'multiedit', 'apply_patch', 'notebookedit') then 'edit' when lower(c.name) = 'write' then 'write'
         when lower(c.name) in ('task', 'agent') then 'subagent' when lower(c.name) in ('todowrite', 'update_plan') then 'plan' else 'other' end as tool_class,
    coalesce(json_extract(d.block, '$.input')::varchar, json_extract(d.block, '$.state.input')::varchar,
             json_extract_string(d.block, '$.arguments')) as args_json,
    case c.side_effect when 'none' then false when 'local' then true when 'external' then true end as is_mutating,
    case when m.call_n is null then 'orphan' when c.state = 'denied' then 'denied' when m.result_n is null then 'pending'
         when r.status = 'error' then 'error' else 'ok' end as status,
    make_timestamptz(coalesce(d.began, a.time)) as started_at,
    make_timestamptz(case when m.call_n = m.result_n then d.done else b.time end) as ended_at,
    case when m.call_n = m.result_n then (d.done - d.began) // 1000 else (b.time - a.time) // 1000 end as latency_ms,
    case when m.call_n = m.result_n then case when d.done - d.began is not null then 'recorded' end
         when b.time is not null and a.time is not null then 'derived' end as latency_source,
    r.bytes as result_bytes,
    sha256(x.text) as result_sha256,
    false as is_truncated,
    false as is_cleared
from made m
join session s using (session)
join named w using (session)
left join call c on c.session = m.session and c.n = m.call_n and c.part = m.call_part
left join result r on r.session = m.session and r.n = m.result_n and r.part = m.result_part
left join placed a on a.session = m.session and a.n = m.call_n
left join placed b on b.session = m.session and b.n = m.result_n
left join timed d on d.session = m.session and d.n = m.call_n and d.part = m.call_part
left join part x on x.session = m.session and x.n = m.result_n and x.part = m.result_part
