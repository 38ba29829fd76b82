"""Two neighbours of a numbered log carry the same ordinal.

## Why it matters
Codex 0.150 to 0.153 writes an ordinal twice when it resumes a session that ended in a token count
with a decimal. Its list of turns then stops at that line for good: later turns are no longer
shown. From 0.154 on the second record is left out of the list. The model's request is complete.

## Example
    {"timestamp":…,"ordinal":24,"type":"event_msg","payload":{"type":"token_count",…}}
    {"timestamp":…,"ordinal":24,"type":"event_msg","payload":{"type":"thread_settings_applied",…}}

## Repair
Overwrite with spaces the one of the two that is telemetry and nothing else (the second if it is
`thread_settings_applied`, else the first if it is `token_count`): no byte moves. Where both are
needed, number the second and what follows again. Lossy.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair, Safety
from suture.validators._ordinals import blank_or_number, is_unseen, steps
from suture.validators._rule import Hit, Options, Rule, hit

_REPEATED = """
with told as (select * from ordinal_step where step = 'duplicate')
select l.*, w.before_n, w.before_line, w.before_type
from told w join located_in('told') l using (session, n) order by l.unit, l.session, l.n
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in steps(db, _REPEATED):
        unseen = None
        if row.store == "codex":
            pair = ((row.n, row.type), (row.before_n, row.before_type))
            unseen = next((n for n, name in pair if is_unseen(name)), None)
        yield hit(
            row,
            f"ordinal {row.ordinal} stands on the record before as well",
            anchor=f"ordinal {row.ordinal}",
            n=row.n,
            ordinal=row.ordinal,
            first_line=row.before_line,
            unseen=unseen,
            copy=row.copy_of is not None,
        )


def fix(finding: Finding, db: Database, policy: Policy) -> Repair | None:
    facts = finding.facts
    if facts["copy"]:
        return None  # the later copy is dropped as a whole
    session, n, first = (int(str(facts[key])) for key in ("session", "n", "ordinal"))
    unseen = None if facts["unseen"] is None else int(str(facts["unseen"]))
    title = "number again from the repeated ordinal on"
    if unseen is not None:
        title = "blank the telemetry record that shares its ordinal"
    return Repair(title, (blank_or_number(session, n, first + 1, unseen),), Safety.LOSSY)


RULE = Rule("201", "ordinal-duplicate", Severity.ERROR, check, fix, needs=("ordinal:odd",))
