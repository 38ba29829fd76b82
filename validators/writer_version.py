"""Several client versions wrote the session, or one that is newer than suture knows.

## Why it matters
What a resume does depends on the version. Records of an older one may have the faults of its time;
for one that is newer than those that were measured, suture says what the newest known one does.

## Example
    "version":"2.1.61" on line 3, "version":"2.1.197" on line 90

## Repair
None: nothing is wrong.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Severity
from suture.model.version import numbers
from suture.validators._measured import NEWEST, is_newer
from suture.validators._rule import Hit, Options, Rule, hit

_MOST_NAMED = 4
_VERSIONS = """
select unit, session, id as session_id, path, client, version, versions,
       null as line, null as "offset", null as length
from session where version is not null order by session
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_VERSIONS):
        said = []
        if len(row.versions) > 1:
            named = sorted(row.versions, key=numbers)
            more = f" and {len(named) - _MOST_NAMED} more" if len(named) > _MOST_NAMED else ""
            said.append(f"written by versions {', '.join(named[:_MOST_NAMED])}{more}")
        if is_newer(row.client, row.version):
            newest = NEWEST[row.client]
            said.append(f"{row.version} is newer than {newest}, the newest that was measured")
        if said:
            yield hit(row, "; ".join(said), anchor="version")


RULE = Rule("904", "writer-version", Severity.INFO, check)
