"""A line is not JSON, and no whole record can be found on it.

## Why it matters
Readers skip the line. What it held is gone from the model's view; in Claude Code every record that
hangs on it loses what stands above (all of it, unless an earlier record is at most five seconds
older). Versions before 2.1.121 stopped at such a line. The OpenAI Agents SDK leaves out a row whose
item is not JSON; Google ADK cannot load a session with such an event or state. In OpenCode one such
message or part blocks the whole session, in a session's row the list of all sessions, in a project
all of the project; of the event log (W) it is never read.

## Example
    {"type":"user","uuid":"…","message":{"role":"user","content":[{"typ
    {"type":"assistant",…}

## Repair
Take the line, or the row, out into the journal; its children are hung on the parent that its text
still names. Of a session's or a project's row only the value is written anew. Lossy. Where raw
control characters in strings are all that is wrong, each becomes its escape, and the record stays:
safe.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair, Safety
from suture.model.place import Row, Span
from suture.validators._damage import (
    damage,
    damage_hit,
    of_event,
    places,
    quarantine,
    replacements,
)
from suture.validators._rule import Hit, Options, Rule

_quarantine = quarantine("quarantine the line", "quarantine the row")
_renew = quarantine("quarantine the line", "write the value anew: from the event log, else empty")
_OWNERS = ("session", "project")  # rows that others hang on: only the value goes
_unhang = quarantine("quarantine the line, hang its children on its parent")

_ALONE = " that nothing hangs on"  # on_resume.json looks for it
# Unreadable records of chains that no record names as its parent.
_LEAVES = """
select d.session, d.raw_id from damage d join session s using (session)
where d.kind = 'bad_json' and d.raw_id is not null and s.store = 'claude-code'
except
select d.session, d.raw_id from damage d
join record r on r.session = d.session and r.parent = d.raw_id where d.kind = 'bad_json'
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    leaves = {(row.session, row.raw_id) for row in db.rows(_LEAVES)}
    for row in damage(db, "kind = 'bad_json'"):
        hidden = row.at is None and row.raw_id is not None
        alone = _ALONE if (row.session, row.raw_id) in leaves else ""
        said = f"{row.detail}; its text names a record{alone}" if hidden else None
        yield damage_hit(row, said, of_event(row))


def fix(finding: Finding, db: Database, policy: Policy) -> Repair | None:
    if isinstance(finding.place, Row) and finding.place.table in _OWNERS:
        return _renew(finding, db, policy)
    if not places(finding):
        named = isinstance(finding.place, Span) and finding.ids  # a record that others may hang on
        unhang = named and not finding.message.endswith(_ALONE)
        return (_unhang if unhang else _quarantine)(finding, db, policy)
    operations = replacements(finding)
    if not operations:
        return None
    return Repair("escape the raw control characters", operations, Safety.SAFE)


RULE = Rule("107", "bad-json", Severity.ERROR, check, fix, needs=("damage:bad_json",))
