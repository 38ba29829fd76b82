"""Somebody typed while the agent worked, and the text was neither used nor taken back.

## Why it matters
The queue lives in the client. When the process ends, what is still in it is gone for the model;
this record is the only copy. `suture inspect` shows where it stands. A writer that never records
what becomes of its queue proves nothing, and is not told.

## Example
    {"type":"queue-operation","operation":"enqueue","content":"and restart the pump",…}
    (no dequeue, no remove)

## Repair
None: whether it is still wanted is for the person to say who typed it.
"""

from collections import defaultdict, deque
from collections.abc import Iterator
from typing import Any

from suture.db import Database
from suture.model.finding import Severity
from suture.validators._rule import Hit, Options, Rule, hit

_QUEUE = """
select l.unit, l.session, l.session_id, l.store, l.path, l.line, l."offset", l.length, l."table",
       l.key, l.id, k.key as operation, k.value as text
from state_kv k join located l using (session, n)
where k.scope = 'queue' and l.live is null and l.copy_of is null
order by l.unit, l.session, l.n
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    waiting: dict[int, deque[tuple[int, Any]]] = defaultdict(deque)
    queued: dict[int, int] = defaultdict(int)
    consumes: set[int] = set()  # sessions whose writer records what becomes of the queue
    for row in db.rows(_QUEUE):
        queue = waiting[row.session]
        if row.store != "claude-code":  # what was consumed is left out by the reader
            queue.append((len(queue), row))
            consumes.add(row.session)
        elif row.operation == "enqueue":
            queue.append((queued[row.session], row))
            queued[row.session] += 1
        elif row.operation == "popAll":
            queue.clear()
            consumes.add(row.session)
        elif queue:
            consumes.add(row.session)
            same = (entry for entry in queue if row.text is not None and entry[1].text == row.text)
            queue.remove(next(same, queue[0]))
    for session in consumes:
        for number, row in waiting[session]:
            name = None if row.store == "claude-code" else row.operation
            yield hit(
                row,
                "input that was typed ahead was neither used nor taken back",
                (name or row.id,),
                anchor=name or f"queued input {number}",
            )


RULE = Rule("709", "queued-input-lost", Severity.WARN, check, needs=("state:queue",))
