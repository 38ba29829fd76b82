"""A call is answered twice.

## Why it matters
Anthropic's Messages API refuses a second result of one call. Claude Code 2.1.197 sends the first of
the two, even when that is a placeholder and the real result stands after it; Codex sends both,
which is illegal. Google ADK sends the last.

## Example
    call   call_1
    result call_1: "aborted"
    result call_1: "3 files changed"

## Repair
Drop one: a placeholder gives way to a real result, one before the call to one behind it, else the
first one stays. Lossy; the journal keeps the bytes. Under an id that two calls share,
duplicate-call-id gives each call its result.
"""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair
from suture.validators._pairs import history, results, take_out_result, unsent
from suture.validators._rule import Hit, Options, Rule, hit

_FIRSTS = """
with few as (
    select distinct session, lane, first_n as n, first_part as part from pairing
    where state = 'duplicate'
),
place as (select session, n, line, on_chain from record semi join few using (session, n))
select f.session, f.lane, f.n, f.part, f.placeholder, f.digest, r.line, r.on_chain
from result f semi join few using (session, lane, n, part) join place r using (session, n)
"""

# Google ADK gives every result to the last of the calls that were open under its id. Once
# duplicate-call-id has parted the calls, each has its own result again.
_SHARED = f"""
with crossed as (
    select session, lane, call_id, max(result_n) as last_n, min(result_n) as first_n
    from pairing p where state = 'paired' and {history("p")}
    group by session, lane, call_id having max(call_n) < min(result_n)
)
select r.* from crossed b join located_result r
    on r.session = b.session and r.lane = b.lane and r.call_id = b.call_id and r.n = b.last_n
where b.last_n > b.first_n and r.store = 'google-adk' order by r.unit, r.session, r.n, r.part
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    if db.has("shared_call_id"):
        for row in db.rows(_SHARED):
            message = "second result under an id that two open calls share"
            yield hit(row, message, (row.call_id,), n=row.n, part=row.part, shared=True)
    yield from _again(db)


def _again(db: Database) -> Iterator[Hit]:
    def call(row: Any) -> tuple[object, ...]:
        return row.session, row.lane, row.call_n, row.call_part, row.call_id

    if not db.has("pairing:duplicate"):
        return
    firsts = {(row.session, row.lane, row.n, row.part): row for row in db.rows(_FIRSTS)}
    for _, group in groupby(sorted(results(db, "duplicate"), key=call), key=call):
        again = list(group)
        row = again[0]
        first = firsts[row.session, row.lane, row.first_n, row.first_part]
        yield from _hits(first, again)


def _hits(first: Any, again: list[Any]) -> Iterator[Hit]:
    """`first` is the result that the walk paired; one real result stays, the rest goes."""
    kept = min((first, *again), key=lambda r: (r.placeholder, r is not first, r.n, r.part))
    for row in again:
        if (row.on_chain is False) != (first.on_chain is False):
            continue  # another branch answered the call anew
        gone = first if row is kept else row
        same = first.digest is not None and first.digest == row.digest
        what = "the same payload" if same else "another payload"
        if first.placeholder and not row.placeholder:
            what = "the real result behind a placeholder"
        aside = unsent(row.call_sent, row.first_sent, row.sent)
        when = "a second time" if row.n >= row.call_n else "before it was made as well"
        yield hit(
            row,
            f"call is answered {when}, with {what}{aside}",
            (row.call_id,),
            n=gone.n,
            part=gone.part,
            first_line=first.line,
            same_payload=same,
        )


def fix(finding: Finding, db: Database, policy: Policy) -> Repair | None:
    if finding.facts.get("shared"):
        return None
    return take_out_result(finding, "keep one result of the call, drop the other")


RULE = Rule(
    "307",
    "duplicate-result",
    Severity.ERROR,
    check,
    fix,
    needs=("pairing:duplicate", "shared_call_id"),
)
