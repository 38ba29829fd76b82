select
    w.public as session_id,
    r.n as seq,
    split_part(r.type, '/', 1) as native_type,
    nullif(split_part(r.type, '/', 2), '') as native_subtype,
    r.id as native_id,
    r.parent as native_parent_id,
    make_timestamptz(r.time) as ts,
    r.line as line_no,
    r."offset" as byte_offset,
    r.length as byte_length,
    case when r.recovered then 'repaired' when r.copy_of is not null then 'duplicate' else 'ok' end as parse_status,
    r.path as place_path,
    r."table" as place_table,
    r.key as place_key
from located r
join named w using (session)
