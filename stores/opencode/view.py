"""One session's rows as the canonical tables: a record a message, a part and an event each."""

from collections.abc import Iterator
from typing import Any

from suture.model.rows import SessionRow, StateRow
from suture.stores._rows import add_rows
from suture.stores._sink import Sink
from suture.stores.opencode.counts import counts
from suture.stores.opencode.damage_rows import damage, damage_of, projection, references
from suture.stores.opencode.part_rows import plain_row, tool_rows
from suture.stores.opencode.periods import compaction_rows, context_version, steps, turns
from suture.stores.opencode.session import Session
from suture.stores.opencode.stored import EVENT, MESSAGE, SESSION, Item, Message, Stored
from suture.stores.opencode.tools import Tool, tool
from suture.stores.opencode.values import at, integer, microseconds, string

Out = Iterator[tuple[str, tuple[Any, ...]]]

_ROLES = {"user": "prompt", "assistant": "reply"}
_QUIET = {  # parts that say nothing to the model
    "step-start",
    "step-finish",
    "snapshot",
    "patch",
    "retry",
    "agent",
    "subtask",
}
UNFINISHED, INFLIGHT = "unfinished", "inflight"


_RECORD = (
    *("n", "kind", "type", "length", "table", "key", "id", "time", "recovered"),
    *("group", "status", "problem", "detail", "names_session"),
)
Records = list[tuple[Any, ...]]


def fill(session: Session, sink: Sink) -> None:
    records: Records = []
    for table, row in _rows(session, records):
        sink.add(table, row)
    add_rows(sink, "record", _RECORD, records, session=session.key)
    sink.add_columns("record", *_event_columns(session))


def _rows(session: Session, records: Records) -> Out:
    """All but the records: those of the event log have columns of their own."""
    stored, key = session.stored, session.key
    yield "session", _session(session)
    n = 0
    if stored.session is not None:
        yield from _head(session, stored.session, records)
        n = 1
    for message in stored.messages:
        yield from _message(session, n, message, records)
        for at_part, part in enumerate(message.parts, n + 1):
            yield from _part(session, at_part, part, message, records)
        n += 1 + len(message.parts)
    for stray in stored.strays:
        records.append(_record(n, stray, "state", f"stray {at(stray.body, 'type')}"))
        yield from damage_of(session, n, stray)
        n += 1
    for event_n, event in enumerate(stored.events, n):
        yield from damage_of(session, event_n, event)
    yield from references(session)
    yield from projection(session)
    yield from compaction_rows(key, stored, session.n_of, session.live is not None)
    for turn in turns(key, stored, session.n_of):
        yield "turn", turn
    for step in steps(key, stored, session.n_of):
        yield "step", step
    for name, kept, found in counts(stored):
        yield "state_kv", StateRow(key, None, "count", name, f"{kept} {found}")


def _session(session: Session) -> SessionRow:
    stored = session.stored
    row = stored.session.columns if stored.session else {}
    parent = string(row.get("parent_id"))
    seq = integer(stored.sequence.columns.get("seq")) if stored.sequence else None
    version = string(row.get("version"))
    return SessionRow(
        session=session.key,
        unit=session.unit,
        store="opencode",
        id=stored.id,
        path=stored.path,
        kind="subagent" if parent else "main",
        variant="tree" if stored.is_tree else "database",
        header_id=stored.id if stored.session else None,
        parent=parent,
        created=microseconds(row.get("time_created")),
        cwd=string(row.get("directory")),
        model=_model(stored),
        client="opencode",
        version=version,
        versions=[version] if version else [],
        counter=None if seq is None else seq + 1,
        context_version=context_version(stored),
        numbered=True,
        first_ordinal=0,
        meta_required=True,
    )


def _model(stored: Stored) -> str | None:
    replies = (at(m.body, "modelID") for m in reversed(stored.messages))
    return next((name for name in replies if isinstance(name, str)), None)


def _head(session: Session, item: Item, records: Records) -> Out:
    records.append(_record(0, item, "header", SESSION))
    for column, fault in session.stored.faults:
        yield "damage", damage(session, 0, item, fault, column)
    compacting = item.columns.get("time_compacting")
    if compacting is not None:
        yield "state_kv", StateRow(session.key, 0, "compacting", "time_compacting", str(compacting))


def _message(session: Session, n: int, message: Message, records: Records) -> Out:
    item, body = message.item, message.body
    role = string(at(body, "role"))
    problem = _message_problem(session, message, role)
    kind = "unknown" if body is not None and role not in _ROLES else "state"
    name = f"message/{role or 'unknown'}"
    records.append(_record(n, item, kind, name, item.id, _message_status(body), problem))
    yield from damage_of(session, n, item)
    if body is None:
        return
    created = integer(at(body, "time", "created"))
    stored = item.number("time_created")
    if stored is not None and created is not None and stored != created:
        yield "state_kv", StateRow(session.key, n, "clock", "time_created", f"{stored} {created}")
    if (parent := body.get("parentID")) is not None and _is_absent(session, parent):
        yield "state_kv", StateRow(session.key, n, "dangling", "parentID", str(parent))
    if role == "assistant" and _hides_calls(message):
        name = str(at(body, "error", "name"))
        yield "state_kv", StateRow(session.key, n, "hidden", "error", name)


def _message_status(body: Any) -> str | None:
    if at(body, "role") != "assistant":
        return None
    if at(body, "time", "completed") is None:
        return UNFINISHED
    return string(at(body, "error", "name")) or string(at(body, "finish"))


def _message_problem(session: Session, message: Message, role: str | None) -> str | None:
    if message.body is None or role not in _ROLES or message.parts:
        return None
    if at(message.body, "error") is not None:
        return None  # the provider refused at once
    if session.live is not None and message is session.stored.messages[-1]:
        return None
    return "the message has no parts"


def _hides_calls(message: Message) -> bool:
    """A reply with an error other than an abort is not sent at all (measured on 1.18.33)."""
    name = at(message.body, "error", "name")
    if name in (None, "MessageAbortedError") or at(message.body, "summary") is True:
        return False
    return any(at(p.body, "state", "status") in ("completed", "error") for p in message.parts)


def _is_absent(session: Session, message: Any) -> bool:
    return not isinstance(message, str) or (MESSAGE, message) not in session.n_of


def _part(session: Session, n: int, item: Item, message: Message, records: Records) -> Out:
    body = item.body
    kind = string(at(body, "type")) or ""
    role = at(message.body, "role")
    called = tool(body) if kind == "tool" and body is not None else None
    if kind == "tool" and called is None:
        kind = f"tool/{at(body, 'state', 'status')}"
    owner = string(item.columns.get("session_id"))
    status = INFLIGHT if _is_inflight(kind, body, called) else None
    named = owner if owner != session.stored.id else None
    what = _kind(kind, role, called)
    records.append(_record(n, item, what, kind, message.id, status, None, named))
    yield from damage_of(session, n, item)
    if body is None:
        return
    if called is not None:
        yield from tool_rows(session, n, called, message)
    elif session.full:  # no rule asks for them
        yield "part", plain_row(session, n, kind, body)
    tail = body.get("tail_start_id")
    if kind == "compaction" and tail is not None and _is_absent(session, tail):
        yield "state_kv", StateRow(session.key, n, "dangling", "tail_start_id", str(tail))


def _kind(kind: str, role: Any, called: Tool | None) -> str:
    if kind == "tool":
        return "call" if called else "unknown"
    if kind in ("text", "file"):
        return _ROLES.get(str(role), "state")
    if kind in _QUIET:
        return "state"
    return {"reasoning": "reasoning", "compaction": "boundary", "": "state"}.get(kind, "unknown")


def _is_inflight(kind: str, body: Any, called: Tool | None) -> bool:
    if called is not None:
        return called.result is None
    time = at(body, "time")
    return kind in ("text", "reasoning") and isinstance(time, dict) and "end" not in time


def _event_columns(session: Session) -> tuple[int, dict[str, Any]]:
    """Half of all records are events, and nothing but their order is asked of them."""
    events = session.stored.events
    first = sum(1 for _ in session.stored.rows())
    types = [event.columns.get("type") for event in events]
    return len(events), {
        "session": session.key,
        "n": list(range(first, first + len(events))),
        "kind": "event",
        "type": [f"event/{name}" if isinstance(name, str) else "event" for name in types],
        "length": [len(str(event.columns.get("data"))) for event in events],
        "table": EVENT,
        "key": [event.key for event in events],
        "id": [event.id for event in events],
        "ordinal": [integer(event.columns.get("seq")) for event in events],
        "lane": "log",
        "recovered": [event.fault is not None for event in events],
        "sent": False,
    }


def _record(
    n: int,
    item: Item,
    kind: str,
    type: str,
    group: str | None = None,
    status: str | None = None,
    *odd: str | None,
) -> tuple[Any, ...]:
    """`odd`: what is wrong with it, the session that it names."""
    problem, names = (*odd, None, None)[:2]
    columns = item.columns
    data = columns.get("data")
    return (
        *(n, kind, type, len(data) if isinstance(data, str | bytes) else None, item.table),
        *(item.key, item.id, microseconds(columns.get("time_created")), item.fault is not None),
        *(group, status, "shape" if problem else None, problem, names),
    )
