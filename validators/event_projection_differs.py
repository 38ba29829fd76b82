"""The event log and the rows made from it disagree.

## Why it matters
OpenCode writes each change twice in one transaction, as an event and as the row. It reads the rows
alone and never plays the log over them, so a row that is gone or unreadable stays so, while the log
still holds all of it. A peer that syncs gets what the log says.

## Example
    event 14: message.part.updated.1 {"part":{"id":"prt_1","state":{"status":"completed",…}}}
    part: no row has the id prt_1

## Repair
Write the row again from its last event: safe where the row is gone, lossy where another one stands
in its place. Where the row is final and its last event is not, the row is right and the log gets an
event of it: safe.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Rebuild, Repair, Safety
from suture.validators._damage import damage
from suture.validators._rule import Hit, Options, Rule, Stage, hit


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in damage(db, "kind = 'projection'"):
        yield hit(row, row.detail, row.ids, table=row.table, what=row.field)


def fix(finding: Finding, db: Database, policy: Policy) -> Repair:
    session, what = int(str(finding.facts["session"])), str(finding.facts["what"])
    row = f"{finding.facts['table']} {finding.ids[0]}"
    if what.endswith(" ahead"):
        operation = Rebuild(session, f"event {row}")
        return Repair("add an event that says what the row says", (operation,), Safety.SAFE)
    safety = Safety.SAFE if what == "absent" else Safety.LOSSY
    return Repair("write the row again from the log", (Rebuild(session, row),), safety)


RULE = Rule(
    "811",
    "event-projection-differs",
    Severity.ERROR,
    check,
    fix,
    Stage.HEADER,
    needs=("damage:projection",),
)
