"""A compaction cut between a tool call and its result.

## Why it matters
One of the two is sent to the model and the other is not. A provider refuses a result without a
call and a call without a result; clients that mend their request drop the half or make up a result
for it.

## Example
    {…"type":"function_call","call_id":"c1"…}
    {"type":"compacted",…}
    {…"type":"function_call_output","call_id":"c1"…}

## Repair
Take the half that is left out of what is sent: in a rollout a result goes back beside its call,
before the compaction, in a transcript it hangs on its call again; elsewhere it is dropped. Where
the history of a database holds the result and no summary covers it, the result is put beside its
call in the window instead. Lossy.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import (
    Answer,
    DropPart,
    Move,
    Operation,
    Outcome,
    Policy,
    Quarantine,
    Repair,
    Reparent,
    Safety,
)
from suture.model.place import Row
from suture.validators._rule import Hit, Options, Rule, Stage, hit
from suture.validators._windows import ENTRIES

# Both halves are in the log, a compaction took one of them out of what is sent.
_PARTED = """
with compacted as (select session, max(n) as n from compaction group by session),
parted as (
    select p.*, c.sent as call_is_left from pairing p
    join compacted k on k.session = p.session and k.n > p.call_n
    join record c on c.session = p.session and c.n = p.call_n
    join record r on r.session = p.session and r.n = p.result_n
    where p.state = 'paired' and p.lane = 'main' and c.sent <> r.sent
)
"""
_IN_LOG = (
    _PARTED
    + """
select l.*, p.call_id, p.call_is_left, l.n as half_n,
       case when p.call_is_left then p.call_part else p.result_part end as part,
       case when l.store = 'codex' and not p.call_is_left then p.call_n end as home
from parted p join located l
    on l.session = p.session and l.n = case when p.call_is_left then p.call_n else p.result_n end
where l."table" is null and l.store <> 'eventlog'
order by l.unit, l.session, l.n
"""
)

# The window names calls and results; the history answers what the window does not.
_IN_WINDOW = (
    ENTRIES
    + """,
calls as (select *, unnest(call_ids) as call_id from entries where current),
results as (select *, result_id as call_id from entries where current and result_id is not null),
covered as (select session, unnest(original_seqs) as seq from entries where current),
whole as (
    select p.session, p.call_id, p.call_n, p.call_part, p.result_n, p.result_part,
           c.ordinal as call_seq, r.ordinal as result_seq
    from pairing p
    join record c on c.session = p.session and c.n = p.call_n
    join record r on r.session = p.session and r.n = p.result_n
    where p.state = 'paired' and p.lane = 'main'
)
select e.*, w.call_n as half_n, w.call_part as part, true as call_is_left,
       exists (select 1 from covered o
               where o.session = w.session and o.seq = w.result_seq) as is_covered
from calls e join whole w using (session, call_id)
anti join results r on r.session = e.session and r.call_id = e.call_id
union all
select e.*, w.result_n, w.result_part, false, true
from results e join whole w using (session, call_id)
anti join calls c on c.session = e.session and c.call_id = e.call_id
order by unit, session, pos
"""
)

# Of a window that holds a result for each call nothing needs to be put beside the history.
_UNEVEN = """
with id as (
    select session, unnest(call_ids) as id, 1 as side from context_entry where current
    union all
    select session, result_id, -1 from context_entry where current and result_id is not null
)
select 1 from id group by session having sum(side * (hash(id) >> 8)::bigint) <> 0 limit 1
"""

_CHILDREN = """
select c.n from record r join record c on c.session = r.session and c.parent = r.id
where r.session = ? and r.n = ? and c.chained and c.n > r.n and c.copy_of is null order by c.n
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    # Nearly always none, which is told in a fraction of the time.
    for row in db.rows(_IN_LOG) if db.rows(_PARTED + "select 1 from parted limit 1") else ():
        yield _hit(row, covered=True)
    for row in db.rows(_IN_WINDOW) if db.has("window") and db.rows(_UNEVEN) else ():
        yield _hit(row, covered=row.is_covered)


def _hit(row: Any, covered: bool) -> Hit:
    sent, absent = ("call", "result") if row.call_is_left else ("result", "call")
    return hit(
        row,
        f"its {sent} is sent after a compaction, its {absent} is not",
        (row.call_id,),
        n=row.half_n,
        part=row.part,
        call_id=row.call_id,
        missing=absent,
        covered=covered,
        home=getattr(row, "home", None),
    )


def fix(finding: Finding, db: Database, policy: Policy) -> Repair:
    facts = finding.facts
    session, n, part = (int(str(facts[key])) for key in ("session", "n", "part"))
    half = "result" if facts["missing"] == "call" else "call"
    if facts["home"] is not None:  # before the compaction, where it is kept and not sent
        move = Move(session, n, int(str(facts["home"])))
        return Repair("put the lone result back beside its call", (move,), Safety.LOSSY)
    children = db.rows(_CHILDREN, session, n)
    if half == "result" and children:
        return _back_on_call(session, n, str(facts["call_id"]), children, db)
    operation: Operation = DropPart(session, n, part)
    if half == "call" and not facts["covered"]:
        operation = Answer(session, n, part, str(facts["call_id"]), Outcome.UNKNOWN)
        return Repair("put the stored result beside its call", (operation,), Safety.LOSSY)
    if half == "result" and isinstance(finding.place, Row):
        operation = Quarantine(finding.place)
    return Repair(f"take the lone {half} out", (operation,), Safety.LOSSY)


def _back_on_call(
    session: int, n: int, call_id: str, children: Sequence[Any], db: Database
) -> Repair:
    """Where parents make the history: the result hangs on its call again, the rest passes it by."""
    above = db.rows(
        "select p.n from record r join record p on p.session = r.session and p.id = r.parent "
        "where r.session = ? and r.n = ? and p.n < r.n order by p.n desc limit 1",
        session,
        n,
    )
    call = db.rows(
        "select call_n from pairing where session = ? and result_n = ? and call_id = ?",
        session,
        n,
        call_id,
    )
    around = tuple(Reparent(session, c.n, above[0].n if above else None) for c in children)
    operations = (Reparent(session, n, call[0].call_n), *around)
    return Repair("hang the lone result on its call again", operations, Safety.LOSSY)


RULE = Rule(
    "605", "split-pair", Severity.ERROR, check, fix, Stage.PAIRING, needs=("compaction", "window")
)
