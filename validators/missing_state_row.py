"""A row of state is absent without which the product cannot append.

## Why it matters
OpenCode numbers events from a counter row of the session. Without it the next event takes a number
that is in use, the insert fails, and the session cannot be gone on with (1.18.33: nothing is
written, "UNIQUE constraint failed"). Google ADK's DatabaseSessionService wants a row of the
application and one of the user before it appends to any session of theirs.

## Example
    event: (ses_1, seq 0) … (ses_1, seq 31); event_sequence: no row of ses_1

## Repair
Add the row: with the last number in use, or with an empty state. Safe.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Rebuild, Repair, Safety
from suture.validators._damage import damage
from suture.validators._rule import Hit, Options, Rule, hit

_MISSING = """
select s.unit, s.session, s.id as session_id, s.path, k.key as name,
       s."table", s.key, null as line, null as "offset", null as length
from state_kv k join session s using (session)
where k.scope = 'missing_row' order by s.unit, s.session, k.key
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_MISSING):
        yield hit(row, f"the session has no row in {row.name}", anchor=row.name, name=row.name)
    for row in damage(db, "kind = 'state_row'"):  # shared by sessions, so of none
        name = f"{row.table} {row.key}" if row.fixable else None
        yield hit(row, row.detail, anchor=f"{row.table} {row.key}", name=name)


def fix(finding: Finding, db: Database, policy: Policy) -> Repair | None:
    name = finding.facts["name"]
    if not finding.has_session:
        operation = Rebuild(0, str(name))
        return Repair("add an empty state", (operation,), Safety.SAFE) if name else None
    session = int(str(finding.facts["session"]))
    return Repair(f"add the row in {name}", (Rebuild(session, f"row {name}"),), Safety.SAFE)


RULE = Rule(
    "712",
    "missing-state-row",
    Severity.ERROR,
    check,
    fix,
    needs=("state:missing_row", "damage:state_row"),
)
