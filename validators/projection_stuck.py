"""The projection of a rollout stands where it cannot go on.

## Why it matters
Codex up to 0.153 stops for good at an ordinal that it does not expect: new turns are stored and
sent to the model, and never shown. Every version stops at a cursor past the end of the file; one
inside a line shows turns at wrong places, and a revert to such a turn cuts the history there.

## Example
    thread_history_projection_state: next_rollout_ordinal 25; the next line has ordinal 24

## Repair
None yet. Repair the ordinals of the rollout first; then the rows of this rollout can be deleted
from all four tables of `thread_history_1.sqlite`, unless another rollout continues from it.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Severity
from suture.validators._rule import Hit, Options, Rule, hit

_STUCK = """
select l.*, k.value as said from state_kv k join located l using (session, n)
where k.scope = 'projection' and k.key = 'stuck' and l.live is null
order by l.unit, l.session
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_STUCK):
        text = f"the projection cannot go on: {row.said}"
        yield hit(row, text, (row.session_id,), anchor="projection")


RULE = Rule("808", "projection-stuck", Severity.ERROR, check, needs=("state:projection",))
