with parts as (
    select session, n, count(*) as n_parts, string_agg(text, chr(10) order by part) as text
    from part group by all)
select
    p.public as session_id,
    p.n as seq,
    p.id as message_id,
    p.parent as parent_id,
    p.turn_no as turn_no,
    p.step_no as step_no,
    p.window_no as window_no,
    case p.kind when 'prompt' then 'user' when 'summary' then 'user' when 'injected' then 'user' when 'abort' then 'user' when 'result' then 'tool' else 'assistant' end as role,
    case p.kind when 'prompt' then 'prompt' when 'result' then 'tool_result' when 'summary' then 'summary' when 'injected' then 'injected' when 'abort' then 'notice' else 'reply' end as kind,
    case p.kind when 'prompt' then 'human' when 'result' then 'tool' when 'summary' then 'harness' when 'injected' then 'harness' when 'abort' then 'harness' else 'model' end as origin,
    coalesce(p.on_chain, true) as is_active,
    make_timestamptz(p.time) as created_at,
    coalesce(x.n_parts, 0) as n_parts,
    x.text as text
from placed p left join parts x using (session, n)
where p.kind in ('prompt', 'reply', 'reasoning', 'call', 'result', 'summary', 'injected', 'abort')
