"""A record refers to a file of the store that is absent.

## Why it matters
Long outputs and other artifacts lie beside the log. Without the file only what the record itself
holds is left: of a spilled output the client sent the model the first 2 KB and the path.

## Example
    "content":"<persisted-output>… Full output saved to: …/tool-results/toolu_1.txt …"
    and no tool-results/toolu_1.txt in the session's folder

## Repair
None: the bytes are not in the store.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Severity
from suture.validators._rule import Hit, Options, Rule, hit

_ABSENT = """
select l.*, a.ref from artifact a join located l using (session, n)
where a.present = false and l.copy_of is null
order by l.unit, l.session, l.n, a.ref
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_ABSENT):
        name = row.ref.replace("\\", "/").rsplit("/", 1)[-1]
        yield hit(
            row,
            f"it refers to a file that is absent: {name[:80]}",
            (row.id,),
            anchor=f"{row.id or row.ordinal} {name}",
        )


RULE = Rule("710", "missing-artifact", Severity.WARN, check, needs=("artifact",))
