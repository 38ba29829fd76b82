"""Another message, or other content, stands between a call and its result.

## Why it matters
Anthropic's Messages API wants all results of a response in the very next message; with a prompt in
between it refuses the request. A prompt that was typed while the tool ran, or a late result, makes
such a chain. Claude Code 2.1.197 and 2.1.332 send the result before such prompts; behind a reply it
is lost, and they say "[Tool result missing due to internal error]" in its place. A result can also
hang on a record above its call: then no resume comes to the call, and Claude Code leaves the result
out too. Of parallel calls it finds those results that hang on a line of the response: one that
hangs there by way of another record is left out with its call. In one message the results come
first: where a line holds a text before its result, Claude Code sends it so, and the API refuses
that too; only where another line of the user stands beside it does it put the results of both
first. Chat-format SQL histories are sent row by row, with the same rule. Codex is silent here: the
Responses API wants an output only to come after its call.

## Example
    call   toolu_1 (Bash)
    prompt "are you there?"
    result toolu_1

## Repair
Move the result right behind its call; what stood between follows it. A result above its call hangs
on it again, and so does what hung beside the call; one that the walk passes by hangs on its call.
Lossy: the order is inferred. In a line the results go before the other blocks: no word is lost.
Where a history is never changed (laxcode) it is reported only.
"""

from collections.abc import Iterator
from itertools import takewhile
from typing import Any

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import (
    Move,
    Operation,
    Policy,
    Repair,
    Reparent,
    ResultsFirst,
    Safety,
)
from suture.validators._between import parted_in_chain, parted_in_rows, passed_by
from suture.validators._links import links
from suture.validators._odd import part_hit
from suture.validators._pairs import number
from suture.validators._rule import Hit, Options, Rule, hit

# Of neighbouring lines of the user the client makes one message, with all results first.
_IN_LINE = """
with late as (select * from odd where kind = 'late_result' and sent),
shown as (
    select session, lane, n, type = 'user' as joins from record semi join late using (session)
    where sent
)
select l.* from late l
asof left join shown b on b.session = l.session and b.lane = l.lane and b.n < l.n
asof left join shown a on a.session = l.session and a.lane = l.lane and a.n > l.n
where b.joins is not true and a.joins is not true
order by l.unit, l.session, l.n, l.part
"""

_ASKED = ("prompt", "abort")
_SAID = ("reply", "reasoning", "call")


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row, between in parted_in_chain(db, server=False):
        message = f"{_between(between)} between the call and its result"
        yield hit(
            row,
            message if between else "no resume comes to its call: the result does not hang on it",
            (row.call_id,),
            n=row.n,
            after=row.call_n,
            between=[record.line for record in between],
        )
    for row in passed_by(db):
        message = "no resume comes to the result: it hangs on a record beside its call"
        yield hit(row, message, (row.call_id,), n=row.n, after=row.call_n, passed=True)
    for row in parted_in_rows(db):
        message = f"{_messages(row.between)} between the call and its result"
        yield hit(row, message, (row.call_id,), n=row.n, after=row.call_n)
    for row in db.rows(_IN_LINE) if db.has("odd:late_result") else ():
        yield part_hit(row, row.detail, row.call_id or row.id, in_line=True)


def _between(records: list[Any]) -> str:
    """What the client makes of it depends on whether anything of the model is among it."""
    if all(record.kind in _ASKED for record in records):
        return "a prompt stands" if len(records) == 1 else f"{len(records)} prompts stand"
    if not any(record.kind in _SAID for record in records):
        return _messages(len(records))
    if len(records) == 1:
        return "a reply stands"
    return f"{len(records)} messages, a reply among them, stand"


def _messages(count: int) -> str:
    return "a message stands" if count == 1 else f"{count} messages stand"


def fix(finding: Finding, db: Database, policy: Policy) -> Repair:
    if finding.facts.get("in_line"):
        first = ResultsFirst(number(finding, "session"), number(finding, "n"))
        return Repair("put the result before the other content", (first,), Safety.LOSSY)
    session, n, after = (number(finding, fact) for fact in ("session", "n", "after"))
    if finding.facts.get("passed"):
        on_call = (Reparent(session, n, after),)
        return Repair("hang the result on its call", on_call, Safety.LOSSY)
    if finding.facts.get("between") == []:
        back = _back(db, session, n, after)
        return Repair("hang the result on its call again", back, Safety.LOSSY)
    return Repair("move the result behind its call", (Move(session, n, after),), Safety.LOSSY)


def _back(db: Database, session: int, n: int, call_n: int) -> tuple[Operation, ...]:
    """What a person or the client asked beside an open call now follows its result; where they
    went back behind a prompt of the call's own branch, or an answer was tried again, the result
    leaves the history."""
    found = links(db, session)
    back = Reparent(session, n, call_n)
    own = list(takewhile(lambda above: not found.records[above].on_chain, found.above(call_n)))
    fork = next((above for above in found.above(call_n) if found.records[above].on_chain), None)
    path = [n, *takewhile(lambda above: above != fork, found.above(n))]
    if len(path) == 1 and found.up(n) == fork:
        return (back,)
    kids = tuple(Reparent(session, kid, found.up(n)) for kid in found.kids(n))
    went_back = any(found.records[above].kind == "prompt" for above in own)
    beside = found.records[path[-1]]
    if fork is None or found.up(path[-1]) != fork or went_back or not _asks(beside):
        return (back, *kids)
    return (back, *kids, Reparent(session, path[-1], n))


def _asks(record: Any) -> bool:
    return bool(record.type == "user" and record.kind != "result")


RULE = Rule(
    "310",
    "result-displaced",
    Severity.ERROR,
    check,
    fix,
    needs=("parent", "rows", "odd:late_result"),
)
