"""An event is in the log twice, under another ordinal.

## Why it matters
A writer that did not know whether its first write had arrived wrote the event again. Whoever
counts or replays events counts it twice: a message is sent to the model twice, a call is answered
twice. A message that a retry appended again is only worth knowing: the model did get it twice.

## Example
    {"id":"e7","ordinal":7,"type":"tool.finished","hash":"sha256:9d…",…}
    {"id":"e7","ordinal":8,"type":"tool.finished","hash":"sha256:9d…",…}

## Repair
Drop the later one (lossy); where hashes chain the log, only at its end.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair
from suture.validators._copies import copies, drop_copies
from suture.validators._rule import Hit, Options, Rule, hit


def check(db: Database, options: Options) -> Iterator[Hit]:
    for retry in (False, True):
        kind = "retry" if retry else "event"
        for row in copies(db, kind) if db.has(f"copy:{kind}") else ():
            what = "an event stands" if row.records == 1 else f"{row.records} events stand"
            if row.kind == "header":
                what = "the header stands"
            if retry:
                what = "a message was appended"
            named = row.ids if any(row.ids) else []
            yield hit(
                row,
                f"{what} again under another ordinal; first at line {row.copies_of[0]}",
                named,
                anchor=" ".join(filter(None, named)) or f"ordinal {row.ordinal}",
                severity=Severity.INFO if retry else None,
                n=row.n,
                records=row.records,
                lines=row.lines[:100],
                copies_of=row.copies_of[:100],
                retry=retry,
            )


def fix(finding: Finding, db: Database, policy: Policy) -> Repair | None:
    return None if finding.facts["retry"] else drop_copies(finding, db, policy)


RULE = Rule("214", "duplicate-event", Severity.WARN, check, fix, needs=("copy:event", "copy:retry"))
