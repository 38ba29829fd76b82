"""The history that a compaction stored is itself illegal.

## Why it matters
Codex begins a resume with the replacement history of the last compaction, as it is. A call in it
without an output is sent as `aborted`; an output without a call is dropped; two outputs of one
call, or an output before its call, are sent and refused on every turn.

## Example
    {"type":"compacted","payload":{"replacement_history":[…,{"type":"function_call","call_id":"call_1",…}]}}

## Repair
Answer the call inside the stored history with a marked output that says that the result is unknown;
take out an output without a call or a second output. Lossy. An output before its call: none.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Answer, DropPart, Outcome, Policy, Repair, Safety
from suture.validators._pairs import number
from suture.validators._rule import Hit, Options, Rule, Stage, hit

_WORDS = {
    "open": "holds a call without a result",
    "orphan": "holds a result without a call",
    "duplicate": "holds a second result of one call",
    "before_call": "holds a result before its call",
}
# The last stored history only: nothing reads the others. A call may be answered behind it.
_FAULTS = """
with newest as (
    select session, max(n) as n from record where kind = 'boundary' and sent group by session
),
few as (
    select p.*, newest.n from newest
    join pairing p on p.session = newest.session and p.lane = 'snapshot:' || newest.n
    where p.state in ('open', 'orphan', 'duplicate', 'before_call')
)
select l.*, p.call_id, p.state,
       case when p.state = 'open' then p.call_part else p.result_part end as part
from few p join located_in('few') l using (session, n)
left join call c on c.session = p.session and c.n = p.call_n and c.part = p.call_part
    and c.lane = p.lane
where coalesce(c.legal_open, '') = ''
  and not (p.state = 'open' and exists (
    select 1 from result r
    where r.session = p.session and r.lane = 'main' and r.call_id = p.call_id and r.n > l.n))
order by l.unit, l.session, l.n, part
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_FAULTS):
        yield hit(
            row,
            f"the history that a compaction stored {_WORDS[row.state]}",
            (row.call_id,),
            n=row.n,
            part=row.part,
            call_id=row.call_id,
            state=row.state,
        )


def fix(finding: Finding, db: Database, policy: Policy) -> Repair | None:
    session, n, part = (number(finding, name) for name in ("session", "n", "part"))
    match finding.facts["state"]:
        case "open":
            answer = Answer(session, n, part, str(finding.facts["call_id"]), Outcome.UNKNOWN)
            title = "answer the call in the stored history: interrupted, result unknown"
            return Repair(title, (answer,), Safety.LOSSY)
        case "orphan" | "duplicate":
            drop = DropPart(session, n, part)
            return Repair("take the result out of the stored history", (drop,), Safety.LOSSY)
        case _:
            return None


RULE = Rule(
    "610",
    "snapshot-broken",
    Severity.ERROR,
    check,
    fix,
    Stage.PAIRING,
    needs=tuple(f"kind:boundary & pairing:{state}" for state in _WORDS),
)
