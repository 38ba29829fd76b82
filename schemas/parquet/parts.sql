select
    w.public as session_id,
    p.n as seq,
    p.part as part_no,
    case p.type when 'call' then 'tool_call' when 'result' then 'tool_result' else p.type end as type,
    p.call_id as call_id,
    p.text as text,
    try(decode(p.data)) as data_json,
    p.bytes as bytes,
    false as is_encrypted,
    false as is_truncated,
    false as is_cleared,
    case when try(decode(p.data)) is null then p.data end as data_bytes
from part p join session s using (session)
join named w using (session)
