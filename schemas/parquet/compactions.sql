select
    w.public as session_id,
    c.number as compaction_no,
    c.n as boundary_seq,
    c.summary_n as summary_seq,
    case when c.opaque then 'encrypted' else 'summary' end as kind,
    case when c.trigger in ('auto', 'manual') then c.trigger else 'unknown' end as trigger,
    'recorded' as evidence,
    c.number - 1 as window_before,
    c.number as window_after,
    make_timestamptz(r.time) as at,
    c.pre_tokens as pre_tokens,
    c.post_tokens as post_tokens,
    case when c.pre_tokens is not null then 'recorded' end as tokens_source,
    c.pre_tokens / nullif(c.post_tokens, 0) as compression_ratio,
    1 - c.post_tokens / nullif(c.pre_tokens, 0) as token_reduction,
    '1' as rules_version
from compaction c
join session s using (session)
join named w using (session)
left join record r on r.session = c.session and r.n = c.n
