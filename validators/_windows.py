"""What the rules about context windows share: the entries with their places."""

from suture.db import Database

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

REFUSED = "the client refuses to open the session"  # whatever its version; ends what is told

_VERSIONS = """
select 1 from (select distinct session, version from context_entry where "table" is not null) e
join session s using (session) where e.version <> s.context_version limit 1
"""

_NAMED = """
create temp table named_original as
select session, version, pos, kind,
       -- nearly every row stands for one, which costs a tenth without being held against others
       unnest(case when len(original_seqs) = 1 then original_seqs
                   else list_distinct(original_seqs) end) as seq
from context_entry where current;
"""


def named_originals(db: Database) -> None:
    """Makes `named_original`: each message that a row of a current window stands for."""
    db.once("named_original", lambda: db.script(_NAMED))


def has_other_versions(db: Database) -> bool:
    """Whether any row of a window is of another version than the session is at."""
    return db.once("other_versions", lambda: bool(db.rows(_VERSIONS)))
