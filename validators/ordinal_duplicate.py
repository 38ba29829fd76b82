"""Two neighbours of a numbered log, or two rows of a session, carry the same ordinal.

## Why it matters
Codex 0.150 to 0.153 writes an ordinal twice when it resumes a session that ended in a token count
with a decimal. Its list of turns then stops at that line for good: later turns are no longer
shown. From 0.154 on the second record is left out of the list. The model's request is complete.
Behind a last record of a type that it does not know every version gives the ordinal of that one
again, and minds nothing (info).
In a table without a unique key two writers can take one number for two messages: which of them came
first is not stored, and what names a message by its number names both. Of OpenCode's events (W),
which were not always kept apart by an index, nobody reads the numbers on resume.

## Example
    {"timestamp":…,"ordinal":24,"type":"event_msg","payload":{"type":"token_count",…}}
    {"timestamp":…,"ordinal":24,"type":"event_msg","payload":{"type":"thread_settings_applied",…}}

## Repair
Overwrite with spaces the one of the two that is telemetry and nothing else (the second if it is
`thread_settings_applied`, else the first if it is `token_count`): no byte moves. Where both are
needed, number the second and what follows again. Lossy. Rows of a table, and behind a record of an
unknown type: none.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair, Safety
from suture.model.place import Row
from suture.validators._damage import of_event
from suture.validators._ordinals import blank_or_number, is_unseen, steps
from suture.validators._rule import Hit, Options, Rule, hit

_REPEATED = """
with told as (select * from ordinal_step where step = 'duplicate'),
before as (select session, before_n as n from told)
select l.*, w.before_n, w.before_line, w.before_type, b.kind as before_kind
from told w join located_in('told') l using (session, n)
join located_in('before') b on b.session = w.session and b.n = w.before_n
order by l.unit, l.session, l.n
"""
_ROWS = """
with twice as (
    select r.session, r.ordinal, max(r.n) as n, count(*) as rows
    from record r join session s using (session)
    where r."table" is not null and r.ordinal is not null and s.numbered
    group by all having count(*) > 1
)
select l.*, t.rows from twice t join located_in('twice') l using (session, n)
order by l.unit, l.session, l.n
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_ROWS) if db.has("seq:odd") else ():
        what = "events" if row.table == "event" else "messages"
        message = f"{row.rows} {what} of the session have the number {row.ordinal}"
        anchor = f"ordinal {row.ordinal}"
        yield hit(row, message, (row.id,), anchor=anchor, severity=of_event(row))
    for row in steps(db, _REPEATED) if db.has("ordinal:odd") else ():
        unseen = severity = None
        message = f"ordinal {row.ordinal} stands on the record before as well"
        if row.store == "codex" and row.before_kind == "unknown":
            severity = Severity.INFO
            message += ", which is of a type that its writer did not know"
        elif row.store == "codex":
            pair = ((row.n, row.type), (row.before_n, row.before_type))
            unseen = next((n for n, name in pair if is_unseen(name)), None)
        yield hit(
            row,
            message,
            anchor=f"ordinal {row.ordinal}",
            severity=severity,
            n=row.n,
            ordinal=row.ordinal,
            first_line=row.before_line,
            unseen=unseen,
            copy=row.copy_of is not None,
            harmless=severity is Severity.INFO,
        )


def fix(finding: Finding, db: Database, policy: Policy) -> Repair | None:
    facts = finding.facts
    if isinstance(finding.place, Row) or facts["copy"]:
        return None  # the later copy is dropped as a whole
    if facts["harmless"]:
        return None
    session, n, first = (int(str(facts[key])) for key in ("session", "n", "ordinal"))
    unseen = None if facts["unseen"] is None else int(str(facts["unseen"]))
    title = "number again from the repeated ordinal on"
    if unseen is not None:
        title = "blank the telemetry record that shares its ordinal"
    return Repair(title, (blank_or_number(session, n, first + 1, unseen),), Safety.LOSSY)


RULE = Rule(
    "201", "ordinal-duplicate", Severity.ERROR, check, fix, needs=("ordinal:odd", "seq:odd")
)
