"""A record refers to a file of the store that is absent.

## Why it matters
Long outputs and other artifacts lie beside the log. Without the file only what the record itself
holds is left: of a spilled output the client sent the model the first 2 KB and the path, and of a
plan of Claude Code the model knows the path. Backups that `file-history-snapshot` lines name serve
/rewind alone; absent ones are told once a session, as info. Backups and plans are looked for where
the transcript lies in a home that has a folder of them.

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
  and not (l.store = 'claude-code' and starts_with(a.ref, 'file-history/'))
order by l.unit, l.session, l.n, a.ref
"""

_BACKUPS = """
select l.*, absent, named from (
    select session, min(n) filter (not present) as n, count(*) filter (not present) as absent,
        count(*) as named
    from artifact where starts_with(ref, 'file-history/') group by session
) join located l using (session, n)
where l.store = 'claude-code'
order by l.unit, l.session
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
    for row in db.rows(_BACKUPS):
        backups = "backup" if row.named == 1 else "backups"
        are = "is" if row.absent == 1 else "are"
        yield hit(
            row,
            f"{row.absent} of {row.named} {backups} that it names for /rewind {are} absent",
            anchor="file-history",
            severity=Severity.INFO,
        )


RULE = Rule("710", "missing-artifact", Severity.WARN, check, needs=("artifact",))
