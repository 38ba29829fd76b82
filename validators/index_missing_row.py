"""A thread of a Codex home has no row in the index.

## Why it matters
Lists, and `codex exec resume --last`, go by the index `state_5.sqlite`: the thread is not shown,
and the newest of the others is resumed in its place without a word (0.150, 0.171). By its id it is
still found. The index is filled once; files that are put back later stay out of it.

## Example
    sessions/2026/03/02/rollout-2026-03-02T09-00-00-019c….jsonl
    and no row of that id in state_5.sqlite, table threads

## Repair
Write the row as the client makes it from the rollout, with the last name that `session_index.jsonl`
has for the thread, which the client would lose.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Rebuild, Repair, Safety
from suture.validators._rule import Hit, Options, Rule, Stage, hit

_MISSING = """
select l.*, k.value as thread from state_kv k join located l using (session, n)
where k.scope = 'index' and k.key = 'no row' and l.live is null and l.session_kind = 'main'
order by l.unit, l.session
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_MISSING):
        yield hit(row, "the thread has no row in the index", (row.thread,))


def fix(finding: Finding, db: Database, policy: Policy) -> Repair:
    session = int(str(finding.facts["session"]))
    return Repair("write its row of the index", (Rebuild(session, "index"),), Safety.SAFE)


RULE = Rule(
    "805", "index-missing-row", Severity.WARN, check, fix, Stage.PROJECTION, needs=("state:index",)
)
