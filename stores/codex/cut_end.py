"""The end of a turn that was cut off while it was written, as a whole record."""

import json
import re

from suture.stores.codex import compose
from suture.stores.codex.clock import micros
from suture.stores.codex.turns import Turn

# The keys stand in the order in which Codex writes them.
_END = re.compile(
    rb'\{"timestamp":"([^"\\]*+)",(?:"ordinal":(\d{1,18}),)?"type":"event_msg",'
    rb'"payload":\{"type":"(task_complete|turn_complete)"(?:,"turn_id":"([^"\\]*+)("?+))?'
    rb'(?:,"last_agent_message":("(?:[^"\\]|\\.)*+")[,}])?'
)


def cut_end(stub: bytes, turn: Turn | None) -> str | None:
    """The line to stand for the stub; None where the bytes do not prove that this turn ended."""
    found = _END.match(stub)
    if found is None or turn is None:
        return None
    stamp, ordinal, kind, id, id_closed, said = found.groups()
    named = (id or b"").decode("utf-8", "replace")
    if turn.id is not None and (turn.id != named if id_closed else not turn.id.startswith(named)):
        return None
    time = micros(stamp.decode("utf-8", "replace"))
    if time is None:
        return None
    whole = compose.turn_complete(kind.decode(), turn.id, _text(said), time)
    mark = {"rule": "torn-tail"}
    number = None if ordinal is None else int(ordinal)
    return compose.line(time, number, "event_msg", whole, mark).decode()


def _text(said: bytes | None) -> str | None:
    try:
        text = None if said is None else str(json.loads(said))
        if text is not None:
            text.encode()
        return text
    except ValueError:  # half of a UTF-16 pair is one as well
        return None
