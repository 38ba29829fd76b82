"""The context window has rows of a version that the session has not reached.

## Why it matters
A compaction writes the rows of the next version first and moves the session's version last. A
process that died between the two leaves these rows behind. They are not sent, but the next
compaction takes the same version and fails on them. In OpenCode it is the summary of a compaction
that was killed, aborted or refused: the next prompt is answered by a new compaction and its
question never reaches the model; after a refusal all before the kept messages is gone as well.

## Example
    session: (s1, context_compassion_version 1); context_window_message: … (s1, version 2, seq 1)

## Repair
Take the rows out; the current window and the history stay as they are. In OpenCode the summary gets
an end that says so, and the compaction keeps no tail any more: the whole history is sent. Lossy.
Where the session cannot be opened with its own window either, its row may be older than these rows:
by `--take` only.
"""

from collections.abc import Iterator
from typing import Any

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair, Safety, SetState
from suture.validators._rule import Hit, Options, Rule, Stage, hit
from suture.validators._windows import ENTRIES, REFUSED, has_other_versions

_AHEAD = (
    ENTRIES
    + """,
ahead as materialized (
    select e.session, e.version, min(e.pos) as pos, count(*) as records
    from context_entry e join session s using (session)
    where e.version > s.context_version and e."table" is not null group by all
)
select e.*, a.records, k.key as cuts, k.value as error
from ahead a join entries e using (session, version, pos)
left join state_kv k on k.session = e.session and k.n = e.n and k.scope = 'compaction'
order by e.unit, e.session, e.version
"""
)
_OWN_IS_REFUSED = """
select 1 from damage where session = ? and kind in ('bad_shape', 'empty_window')
    and ends_with(detail, ?) limit 1
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_AHEAD) if has_other_versions(db) else ():
        rows = "a row" if row.records == 1 else f"{row.records} rows"
        yield hit(
            row,
            f"{rows} of version {row.version}, but the session is at {row.context_version}"
            if row.store != "opencode"
            else f"a compaction {_ended(row.error)}: its summary stands for nothing{_cut(row)}",
            anchor=f"window {row.version}",
            version=row.version,
        )


def _ended(error: str | None) -> str:
    if error is None:
        return "was begun and not finished"
    return "was aborted" if error == "MessageAbortedError" else f"failed ({error[:80]})"


def _cut(row: Any) -> str:
    return ", and what stands before the messages that it keeps is cut off" if row.cuts else ""


def fix(finding: Finding, db: Database, policy: Policy) -> Repair:
    session, version = int(str(finding.facts["session"])), finding.facts["version"]
    operation = SetState(session, f"window {version}", "dropped")
    if finding.place is not None and "compaction" in finding.message:
        return Repair("end the compaction that failed", (operation,), Safety.LOSSY)
    safety = Safety.MANUAL if db.rows(_OWN_IS_REFUSED, session, REFUSED) else Safety.LOSSY
    return Repair(f"take out the rows of version {version}", (operation,), safety)


RULE = Rule(
    "604",
    "window-ahead",
    Severity.ERROR,
    check,
    fix,
    Stage.PROJECTION,
    needs=("window",),
)
