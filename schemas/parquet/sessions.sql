with times as (select session, min(time) as started, max(time) as ended, count(*) as n from record group by 1),
steps as (
    select session, count(*) as n, sum(coalesce(input_tokens, 0) + coalesce(cache_read_tokens, 0) + coalesce(cache_write_tokens, 0)) filter (where input_tokens is not null) as input_total,
           sum(cache_read_tokens) as cache_read, sum(cache_write_tokens) as cache_write, sum(output_tokens) as output
    from step group by 1),
models as (select session, list(model order by first) as models from (select session, model, min(step) as first from step where model is not null group by 1, 2) group by 1)
select
    w.public as session_id,
    s.id as native_session_id,
    harness(s.store) as harness,
    s.version as harness_version,
    case when f.dialect = 'sqlite' then 'sqlite' else 'jsonl' end as store_kind,
    s.path as source_uri,
    null as source_sha256,
    f.bytes as source_bytes,
    case when s.parent is not null then harness(s.store) || ':' || s.parent end as parent_session_id,
    case when s.fork_of is not null then harness(s.store) || ':' || s.fork_of end as forked_from_session_id,
    s.fork_ordinal as forked_at_seq,
    case when s.kind = 'subagent' then split_part(s.id, '#', 2) end as agent_name,
    s.kind = 'subagent' as is_subagent,
    s.cwd as cwd,
    coalesce(m.models, case when s.model is not null then [s.model] end) as models,
    make_timestamptz(t.started) as started_at,
    make_timestamptz(t.ended) as ended_at,
    (t.ended - t.started) // 1000 as wall_ms,
    coalesce(t.n, 0) as n_events,
    (select count(*) from turn x where x.session = s.session) as n_turns,
    coalesce(st.n, 0) as n_steps,
    (select count(*) from talk x where x.session = s.session) as n_messages,
    (select count(*) from call x where x.session = s.session and x.lane not like 'snapshot:%' and x.lane <> 'window') as n_tool_calls,
    (select count(*) from compaction x where x.session = s.session) as n_compactions,
    st.input_total as input_total_tokens,
    st.cache_read as cache_read_tokens,
    st.cache_write as cache_write_tokens,
    st.output as output_tokens,
    case z.tail when 'clean' then 'completed' when 'live' then 'open' when 'half_written' then 'truncated' else 'interrupted' end as status,
    true as has_text
from session s
join named w using (session)
left join times t using (session)
left join steps st using (session)
left join models m using (session)
left join session_tail z using (session)
left join (select unit, path, any_value(dialect) as dialect, any_value(bytes) as bytes from source group by all) f
  on f.unit = s.unit and f.path = s.path
