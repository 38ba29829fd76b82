"""A line is a bare value, an array or blank, not a record.

## Why it matters
Most clients skip such lines and lose nothing; Claude Code 2.1.197 cannot load a session with a line
that is null, which is an error there. Such lines show that another program wrote to the file, or
that bytes of a repair were blanked to keep offsets in place. A rollout of blank lines alone is an
empty session file to Codex, which refuses it.

## Example
    null
    [1, 2, 3]

## Repair
None: nothing is lost, and the bytes may be somebody's. A null of Claude Code is taken out into the
journal: lossy.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Quarantine, Repair, Safety
from suture.model.place import Span
from suture.validators._damage import damage, damage_hit
from suture.validators._rule import Hit, Options, Rule

_CLAUDE = "select session from session where store = 'claude-code' and kind = 'main'"
_STOPS = "; some versions cannot load the session then"


def check(db: Database, options: Options) -> Iterator[Hit]:
    rows = damage(db, "kind = 'not_a_record'")
    claude = {row.session for row in db.rows(_CLAUDE)} if rows else set()
    for row in rows:
        if row.detail == "the line is null" and row.session in claude:
            yield damage_hit(row, row.detail + _STOPS, Severity.ERROR)
        else:
            yield damage_hit(row)


def fix(finding: Finding, db: Database, policy: Policy) -> Repair | None:
    if finding.severity is not Severity.ERROR or not isinstance(finding.place, Span):
        return None
    return Repair("take the null out", (Quarantine(finding.place),), Safety.LOSSY)


RULE = Rule("108", "not-a-record", Severity.INFO, check, fix, needs=("damage:not_a_record",))
