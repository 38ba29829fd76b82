"""What the rules about context windows share: the entries with their places."""

# A window stands in rows of its own, or in the event of the compaction that made it.
ENTRIES = """
with made as (
    select session, version, max(n) as n from compaction group by all
),
entries as (
    select e.*, s.unit, s.id as session_id, s.store, s.path, s.context_version,
           r.line, r."offset", r.length
    from context_entry e
    join session s using (session)
    left join made c on c.session = e.session and c.version = e.version and e."table" is null
    left join record r on r.session = c.session and r.n = c.n
)
"""
