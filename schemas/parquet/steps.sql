select
    w.public as session_id,
    st.step as step_no,
    st.turn as turn_no,
    coalesce(p.window_no, 0) as window_no,
    s.id || ':' || coalesce(st.model, s.model, '?') as cache_chain,
    st.id as response_id,
    coalesce(st.model, s.model) as model,
    st.first_n as first_seq,
    st.last_n as last_seq,
    make_timestamptz(b.time) as started_at,
    make_timestamptz(p.time) as first_output_at,
    make_timestamptz(e.time) as ended_at,
    (e.time - p.time) // 1000 as wall_ms,
    case when st.input_tokens is not null then st.input_tokens + coalesce(st.cache_read_tokens, 0) + coalesce(st.cache_write_tokens, 0) end as input_total_tokens,
    st.input_tokens as input_uncached_tokens,
    st.cache_read_tokens as cache_read_tokens,
    st.cache_write_tokens as cache_write_tokens,
    st.output_tokens as output_tokens,
    case when st.input_tokens is null then 'missing' else 'recorded' end as usage_source,
    st.status as stop_reason,
    coalesce(st.model = '<synthetic>', false) as is_synthetic
from step st
join session s using (session)
join named w using (session)
left join placed p on p.session = st.session and p.n = st.first_n
left join record b on b.session = st.session and b.n = st.first_n - 1
left join record e on e.session = st.session and e.n = st.last_n
