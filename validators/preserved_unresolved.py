"""A compaction says that it kept records, and they are absent.

## Why it matters
The boundary names the records that stay in the model's view behind the summary. Where one of them
is absent, Claude Code loads the whole history again or goes on without what was kept.

## Example
    {"type":"system","subtype":"compact_boundary","compactMetadata":{"preservedSegment":
     {"headUuid":"…","anchorUuid":"…","tailUuid":"…"}}}, and no line has the tail's uuid

## Repair
None by default: the lines may stand in a journal or a backup. To take the names away gives up what
was kept, and is for a person to decide.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Severity
from suture.validators._rule import Hit, Options, Rule, hit

# Of the last compaction only: what earlier ones kept is behind it. The anchor is the summary, and a
# summary that is absent has a finding of its own.
_ABSENT = """
with newest as (
    select session, max(n) as n from compaction group by session
    having max(n) = max(n) filter (where summary_n is not null)
)
select l.*, k.key as uuid from state_kv k
join newest using (session, n)
join located l using (session, n)
where k.scope = 'preserved' and k.value = 'absent'
order by l.unit, l.session, l.n, k.key
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_ABSENT):
        yield hit(row, "a record that the compaction kept is absent", (row.uuid,))


RULE = Rule("609", "preserved-unresolved", Severity.ERROR, check, needs=("state:preserved",))
