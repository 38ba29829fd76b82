"""One session's rows as the canonical tables."""

from hashlib import sha256
from itertools import chain
from typing import Any

import msgspec

from suture.model.answer import is_marked
from suture.model.edit import Value
from suture.model.rows import (
    CallRow,
    DamageRow,
    ResultRow,
    SessionRow,
)
from suture.stores._rows import add_rows
from suture.stores._sink import Sink
from suture.stores._tables import row_damage
from suture.stores.google_adk.clock import micros
from suture.stores.google_adk.event import (
    Event,
    Problem,
    call_of,
    event,
    response_of,
    response_text,
    rewound,
)
from suture.stores.google_adk.periods import compactions, head_behind, range_problems, turns
from suture.stores.google_adk.tables import EVENTS, Stored, event_place

_UNKNOWN = "the store does not record whether a tool was started"
_LONG_RUNNING = "it is declared long-running"
_REWOUND = "a later rewind took it back"


class Session:
    """What the parts of the view share."""

    def __init__(self, unit: int, key: int, path: str, stored: Stored, full: bool) -> None:
        self.unit, self.key, self.path, self.stored, self.full = unit, key, path, stored, full
        self.events = [event(row, stored.variant) for row in stored.events]
        self.rewound = rewound(self.events)
        # calls that get more than one result by design: a first word, then the outcome
        self.twice: set[str] = set()
        for one in self.events:
            if one.value.get("long_running_tool_ids") is not None:
                self.twice |= one.long_running
            if len(one.actions) > 1 or "state_delta" not in one.actions:
                self.twice |= one.asks_for
        self.answered: set[str] = set()


def fill(unit: int, key: int, path: str, stored: Stored, sink: Sink) -> None:
    session = Session(unit, key, path, stored, sink.full)
    sink.add("session", _session(session))
    if stored.head is None and stored.events:
        sink.add("damage", _headless(session))
    _records(session, sink)
    for table, found in chain(
        turns(session.key, session.events),
        compactions(session.key, session.events),
        head_behind(session.key, session.events, stored.head),
    ):
        sink.add(table, found)


def _session(session: Session) -> SessionRow:
    stored = session.stored
    return SessionRow(
        session=session.key,
        unit=session.unit,
        store="google-adk",
        id=stored.id,
        path=session.path,
        variant=stored.variant,
        header_id=stored.key[2] if stored.head else None,
        created=micros(stored.head.get("create_time")) if stored.head else None,
        client="google-adk",
        leaf=len(stored.events) - 1 if stored.events else None,
        meta_required=stored.head is None,
    )


_RECORD = (
    *("n", "kind", "type", "length", "key", "id", "time", "group", "turn", "on_chain", "sent"),
    *("problem", "detail"),
)
_PART = ("n", "part", "type", "call_id", "bytes", "text", "data")
_FROM_MODEL = ("reply", "call", "reasoning")
_WITH_TOOLS = ("call", "result", "summary")


def _records(session: Session, sink: Sink) -> None:
    records: list[tuple[Any, ...]] = []
    parts: list[tuple[Any, ...]] = []
    for n, one in enumerate(session.events):
        row, kind, name = one.row, one.kind, one.id
        key = event_place(row)
        problems = one.problems
        if kind == "summary":
            problems = (*problems, *range_problems(session.events, one))
        for problem in problems:
            sink.add("damage", _damage(session, n, problem, key))
        gone = n in session.rewound
        odd = [p for p in one.problems if p.kind == "bad_shape"] if one.problems else None
        model = kind in _FROM_MODEL and one.author != "user"
        records.append(
            (
                *(n, kind, f"event/{kind}", _size(row.get("event_data")), key, name, one.time),
                *(name if model else None, str(row["invocation_id"]), not gone),
                bool(one.value) and not gone,
                "shape" if odd else None,
                odd[0].detail if odd else None,
            )
        )
        if not session.full and kind not in _WITH_TOOLS:
            continue
        for part, value in enumerate(one.parts):
            call, response = call_of(value), response_of(value)
            if call or response:
                _tool(session, n, part, one, call, response, sink)
            if session.full:  # no rule asks for them
                parts.append(_part(n, part, value, call, response))
    add_rows(sink, "record", _RECORD, records, session=session.key, table=EVENTS)
    add_rows(sink, "part", _PART, parts, session=session.key)


def _size(data: Value) -> int:
    if isinstance(data, str) and data.isascii():
        return len(data)
    return len(str(data or "").encode("utf-8", "replace"))


def _tool(
    session: Session,
    n: int,
    part: int,
    one: Event,
    call: dict[str, Any] | None,
    response: dict[str, Any] | None,
    sink: Sink,
) -> None:
    call_id = (call or response or {}).get("id")
    if not isinstance(call_id, str):
        return
    if call is not None:
        sink.add("call", _call(session, n, part, one, call, call_id))
    if response is not None:
        if call_id not in session.twice or call_id not in session.answered:
            sink.add("result", _result(session, n, part, response, call_id))
        session.answered.add(call_id)


def _part(
    n: int,
    part: int,
    value: dict[str, Any],
    call: dict[str, Any] | None,
    response: dict[str, Any] | None,
) -> tuple[Any, ...]:
    said = value.get("text")
    text = said if isinstance(said, str) else None
    kind = "reasoning" if value.get("thought") is True else "text"
    kind = kind if text is not None else "image" if "inline_data" in value else "other"
    kind = "call" if call else "result" if response else kind
    call_id = (call or response or {}).get("id")
    data = msgspec.json.encode(value)
    size = len(data if text is None else text.encode("utf-8", "replace"))
    return n, part, kind, call_id if isinstance(call_id, str) else None, size, text, data


def _call(
    session: Session, n: int, part: int, one: Event, call: dict[str, Any], call_id: str
) -> CallRow:
    name, arguments = call.get("name"), call.get("args")
    malformed = None
    if not isinstance(name, str) or not name:
        malformed = "it has no name"
    elif arguments is not None and not isinstance(arguments, dict):
        malformed = "its arguments are no object"
    waits = _LONG_RUNNING if call_id in one.long_running else None
    return CallRow(
        session=session.key,
        n=n,
        part=part,
        call_id=call_id,
        lane="main",
        pos=n,
        name=name if isinstance(name, str) else None,
        reason=_UNKNOWN,
        batch=one.id,
        legal_open=waits or (_REWOUND if n in session.rewound else None),
        malformed=malformed,
    )


def _result(
    session: Session, n: int, part: int, response: dict[str, Any], call_id: str
) -> ResultRow:
    data = msgspec.json.encode(response.get("response"))
    marked = is_marked(response_text(response))
    return ResultRow(
        session=session.key,
        n=n,
        part=part,
        call_id=call_id,
        lane="main",
        pos=n,
        placeholder=marked,
        marked=marked,
        digest=sha256(data).hexdigest()[:16],
        bytes=len(data),
    )


def _damage(session: Session, n: int, problem: Problem, key: str) -> DamageRow:
    return row_damage(
        session.unit,
        session.path,
        problem.kind,
        problem.detail,
        session=session.key,
        n=n,
        field=problem.field,
        fixable=problem.fixable,
        fill=problem.fill,
        table=EVENTS,
        key=key,
    )


def _headless(session: Session) -> DamageRow:
    key = event_place(session.stored.events[0])
    problem = Problem("foreign_key", "session_id", "events name a session that has no row")
    return _damage(session, 0, problem, key)
