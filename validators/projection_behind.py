"""The projection of a rollout has not read all of it yet.

## Why it matters
What Codex shows of a thread comes from `thread_history_1.sqlite`, which follows the rollout with a
cursor. It catches up when the thread is resumed; until then the last turns are not shown. The
request to the model does not depend on it.

## Example
    thread_history_projection_state: next_rollout_byte_offset 39102; the file has 45116 bytes

## Repair
None: the client catches up.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Severity
from suture.validators._rule import Hit, Options, Rule, hit

_BEHIND = """
select l.*, k.value as said from state_kv k join located l using (session, n)
where k.scope = 'projection' and k.key = 'behind' and l.live is null
order by l.unit, l.session
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_BEHIND):
        text = f"the projection is behind: {row.said}"
        yield hit(row, text, (row.session_id,), anchor="projection")


RULE = Rule("807", "projection-behind", Severity.INFO, check, needs=("state:projection",))
