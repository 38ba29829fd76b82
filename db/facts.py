"""What a database holds at all, so that a rule which needs a torn line asks nothing when no line
is torn. Planning a query costs milliseconds, and there are dozens of rules."""

# Statuses of a message whose end is not stored.
UNFINISHED = "('unfinished', 'in_progress', 'streaming', 'pending', 'partial', 'running')"

FACTS = f"""
with flags as (
    select bool_or(copy_of is not null) as copy, bool_or(same_id is not null) as same_id,
           bool_or(hash <> computed or chain_hash <> chain_computed) as hashes,
           bool_or(hash is not null and computed is null and problem = 'unhashable') as unhashable,
           bool_or(parent is not null) as parent,
           bool_or(id[-22] = '7') as timed_ids,
           bool_or(names_session is not null) as names_session,
           bool_or(problem is not null) as problem, bool_or("table" is not null) as in_rows,
           bool_or(lane <> 'main') as lanes, bool_or(chained and kind = 'event') as progress,
           bool_or(chained and on_chain = false) as off_chain,
           count(*) filter (kind = 'header')
               > count(distinct session) filter (kind = 'header') as headers,
           max(length) > 1000000 as long,
           bool_or(status in {UNFINISHED}) as unfinished
    from record
),
-- As the rows were put in, which costs no sorting: what is told in that order needs no closer look.
stepped as (
    select ordinal, time, ordinal - lag(ordinal) over () as step, lag(ordinal) over () as before,
           time - lag(time) over () as later, prev, lag(chain_hash) over () as linked,
           coalesce(session = lag(session) over (), false) as same,
           n - lag(n) over () = 1 as follows, "table" is not null as in_rows
    from record
),
steps as (
    select bool_or(case when same and follows then step is distinct from 1
                   else ordinal is distinct from 0 end
                   and (ordinal is not null or same and before is not null))
               filter (not in_rows) as ordinals,
           bool_or(case when same and before is not null then step else ordinal end <> 1)
               filter (in_rows) as seqs,
           bool_or(same and prev is not null and linked is distinct from prev) as links,
           bool_or(same and (not follows or later is null or later < 0)) as times
    from stepped
)
select 'copy' as fact from flags where copy
union all select 'same_id' from flags where same_id
union all select 'hash:odd' from flags where hashes
union all select 'unhashable' from flags where unhashable
union all select 'parent' from flags where parent
union all select 'id:timed' from flags where timed_ids
union all select 'names_session' from flags where names_session
union all select 'problem' from flags where problem
union all select 'rows' from flags where in_rows
union all select 'lanes' from flags where lanes
union all select 'progress' from flags where progress
union all select 'off_chain' from flags where off_chain
union all select 'headers' from flags where headers
union all select 'record:long' from flags where long
union all select 'status:unfinished' from flags where unfinished
union all select 'ordinal:odd' from steps where ordinals
union all select 'seq:odd' from steps where seqs
union all select 'prev:odd' from steps where links
union all select 'time:odd' from steps where times
union all select 'source:long' from source where bytes > 50000000
union all select distinct 'header_id:other' from session where header_id <> name_id
union all select distinct 'header_id:none' from session where meta_required and header_id is null
union all select distinct 'first:odd' from session where first_ordinal <> 1
union all select distinct 'fork' from session where fork_of is not null
union all select distinct 'turn:twice' from turn where ends > 1
union all select distinct 'compaction:gone' from compaction where not originals_stored
union all select distinct 'compaction:empty' from compaction where kept = 0
union all select distinct 'compaction:versioned' from compaction where version is not null
union all select distinct 'compaction:bare' from compaction
    where needs_summary and summary_n is null
union all select distinct 'pairing:mixed' from plain_pair where mixed
union all select distinct 'pairing:walked' from pairing anti join plain_pair
    using (session, lane, call_id)
union all select distinct 'counter' from session where counter is not null
union all select distinct 'running' from session where status = 'running'
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
union all select distinct 'server' from call where server
union all select distinct 'call:running' from call where state = 'running'
union all select distinct 'call:waits' from call where legal_open is not null
union all select distinct 'call:family' from call where family is not null
union all select distinct 'compaction' from compaction
union all select distinct 'window' from context_entry
union all select distinct 'state:' || scope from state_kv
union all select distinct 'odd:' || kind from odd_part
union all select distinct 'artifact' from artifact
"""
