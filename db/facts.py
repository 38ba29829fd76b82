"""What a database holds at all, so that a rule which needs a torn line asks nothing when no line
is torn. Planning a query costs milliseconds, and there are dozens of rules."""

FACTS = """
with flags as (
    select bool_or(copy_of is not null) as copy, bool_or(same_id is not null) as same_id,
           bool_or(hash is not null or chain_hash is not null or problem = 'unhashable')
           as hash,
           bool_or(ordinal is not null) as ordinal, bool_or(parent is not null) as parent,
           bool_or(names_session is not null) as names_session,
           bool_or(problem is not null) as problem, bool_or("table" is not null) as in_rows,
           bool_or(lane <> 'main') as lanes, bool_or(chained and kind = 'event') as progress,
           bool_or(chained and on_chain = false) as off_chain
    from record
)
select 'copy' as fact from flags where copy
union all select 'same_id' from flags where same_id
union all select 'hash' from flags where hash
union all select 'ordinal' from flags where ordinal
union all select 'parent' from flags where parent
union all select 'names_session' from flags where names_session
union all select 'problem' from flags where problem
union all select 'rows' from flags where in_rows
union all select 'lanes' from flags where lanes
union all select 'progress' from flags where progress
union all select 'off_chain' from flags where off_chain
union all select distinct 'counter' from session where counter is not null
union all select distinct 'running' from session where status = 'running'
union all select distinct 'family' from call where family <> 'tool'
union all select distinct 'shared_call_id' from (
    select 1 from call where call_id <> '' group by session, lane, call_id having count(*) > 1)
union all select distinct 'store:' || store from session
union all select distinct 'live' from session where live is not null
union all select distinct 'kind:' || kind from record
union all select distinct 'copy:' || copy_kind from record where copy_of is not null
union all select distinct 'damage:' || kind from damage
union all select distinct 'pairing:' || state from pairing
union all select distinct 'turn:' || status from turn
union all select distinct 'malformed' from call where malformed is not null
union all select distinct 'bad_item_id' from call where bad_item_id is not null
union all select distinct 'server' from call where server
union all select distinct 'compaction' from compaction
union all select distinct 'window' from context_entry
union all select distinct 'state:' || scope from state_kv
union all select distinct 'odd:' || kind from odd_part
union all select distinct 'artifact' from artifact
"""
