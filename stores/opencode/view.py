"""One session's rows as the canonical tables: a record a message, a part and an event each."""

from collections.abc import Iterator, Sequence
from typing import Any

from suture.model.rows import SessionRow, StateRow
from suture.stores._rows import add_rows
from suture.stores._sink import Sink
from suture.stores.opencode.counts import counts, without_strangers
from suture.stores.opencode.damage_rows import (
    damage,
    damage_of,
    projection,
    references,
    unsendable_part,
)
from suture.stores.opencode.first import unprompted
from suture.stores.opencode.heads import lacking
from suture.stores.opencode.part_rows import plain_row, tool_rows
from suture.stores.opencode.periods import (
    STEP,
    TURN,
    compaction_rows,
    context_version,
    steps,
    turns,
)
from suture.stores.opencode.rows import Rows
from suture.stores.opencode.session import Session
from suture.stores.opencode.shape import (
    INFLIGHT,
    ROLES,
    hides_calls,
    message_problem,
    message_status,
    part_problem,
)
from suture.stores.opencode.stored import (
    EVENT,
    MESSAGE,
    SESSION,
    Event,
    Item,
    Message,
    Stored,
    key_of,
)
from suture.stores.opencode.tools import Tool, tool
from suture.stores.opencode.values import at, integer, microseconds, says_when, string

_QUIET = {  # parts that say nothing to the model
    "step-start",
    "step-finish",
    "snapshot",
    "patch",
    "retry",
    "agent",
    "subtask",
}


def fill(session: Session, sink: Sink) -> None:
    stored, key = session.stored, session.key
    rows = Rows()
    rows.add("session", _session(session, context_version(session.asked)))
    _records(session, rows)
    rows.extend(references(session))
    rows.extend(projection(session))
    rows.extend(_first(session))
    rows.extend(compaction_rows(key, session.asked, session.n_of, session.live is not None))
    for name, kept, found in counts(stored):
        rows.add("state_kv", StateRow(key, None, "count", name, f"{kept} {found}"))
    if stored.session is None and (why := lacking(stored, stored.log)) is not None:
        rows.add("state_kv", StateRow(key, None, "unmade", "header", why))
    rows.hand_over(key, _event_columns(stored.events, len(rows.records)), session.sent_from, sink)
    add_rows(sink, "turn", TURN, list(turns(stored, session.n_of)), session=key)
    add_rows(sink, "step", STEP, list(steps(stored, session.n_of)), session=key)


def _records(session: Session, rows: Rows) -> None:
    """All but those of the event log, which have columns of their own."""
    stored, n = session.stored, 0
    if stored.session is not None:
        _head(session, stored.session, rows)
        n = 1
    for message in stored.messages:
        _message(session, n, message, rows)
        for at_part, part in enumerate(message.parts, n + 1):
            _part(session, at_part, part, message, rows)
        n += 1 + len(message.parts)
    for stray in stored.strays:
        rows.records.append(_record(n, stray, "state", f"stray {stray.type}"))
        rows.extend(damage_of(session, n, stray))
        n += 1
    for event_n, event in enumerate(stored.events, n):
        if event.fault is not None:
            rows.extend(damage_of(session, event_n, event.item))


def _session(session: Session, version: int) -> SessionRow:
    stored = session.stored
    row = stored.session.columns if stored.session else {}
    placed = None if stored.is_tree else stored.session
    parent = string(row.get("parent_id"))
    seq = integer(stored.sequence.columns.get("seq")) if stored.sequence else None
    client = string(row.get("version"))
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
        version=client,
        versions=[client] if client else [],
        counter=None if seq is None else seq + 1,
        context_version=version,
        numbered=True,
        first_ordinal=0,
        meta_required=True,
        table=placed.table if placed else None,
        key=placed.key if placed else None,
    )


def _model(stored: Stored) -> str | None:
    replies = (at(m.body, "modelID") for m in reversed(stored.messages))
    return next((name for name in replies if isinstance(name, str)), None)


def _head(session: Session, item: Item, rows: Rows) -> None:
    rows.records.append(_record(0, item, "header", SESSION))
    for column, fault in session.stored.faults:
        rows.add("damage", damage(session, 0, item, fault, column))
    if (parent := session.stored.lost_parent) is not None:
        rows.add("state_kv", StateRow(session.key, 0, "subagent", "no parent", parent))
    compacting = item.columns.get("time_compacting")
    if compacting is not None:
        row = StateRow(session.key, 0, "compacting", "time_compacting", str(compacting))
        rows.add("state_kv", row)


def _message(session: Session, n: int, message: Message, rows: Rows) -> None:
    item, body, key = message.item, message.body, session.key
    role = string(at(body, "role"))
    problem = message_problem(session, message, role)
    kind = "unknown" if role is not None and role not in ROLES else "state"
    name, status = f"message/{role or 'unknown'}", message_status(body)
    rows.records.append(_record(n, item, kind, name, item.id, status, (problem, None)))
    rows.extend(damage_of(session, n, item))
    if body is None:
        return
    created = integer(at(body, "time", "created"))
    stored = item.number("time_created")
    if stored is not None and created is not None and stored != created:
        rows.add("state_kv", StateRow(key, n, "clock", "time_created", f"{stored} {created}"))
    if stored is not None and not says_when(body):
        rows.add("state_kv", StateRow(key, n, "clock", "no time", None))
    if (parent := body.get("parentID")) is not None and _is_absent(session, parent):
        rows.add("state_kv", StateRow(key, n, "dangling", "parentID", str(parent)))
    if role == "assistant" and hides_calls(message):
        name = str(at(body, "error", "name") or "of an unknown shape")
        rows.add("state_kv", StateRow(key, n, "hidden", "error", name))


def _first(session: Session) -> Iterator[tuple[str, StateRow]]:
    """The replies that no prompt stands before. They may go only if a prompt is left then, and no
    message is of another session."""
    replies, prompted = unprompted(session.stored, session.asked)
    places = [session.n_of[MESSAGE, message.id] for message in replies]
    if places:
        own = without_strangers(session.stored) is session.stored
        drop = " ".join(map(str, places)) if prompted and own else None
        yield "state_kv", StateRow(session.key, places[0], "first", "reply", drop)


def _is_absent(session: Session, message: Any) -> bool:
    return not isinstance(message, str) or (MESSAGE, message) not in session.n_of


def _part(session: Session, n: int, item: Item, message: Message, rows: Rows) -> None:
    body, columns = item.body, item.columns
    kind = string(item.type) or ""
    called = tool(body) if kind == "tool" else None
    if kind == "tool" and called is None:
        kind = f"tool/{at(body, 'state', 'status')}"
    owner = string(columns.get("session_id"))
    status = INFLIGHT if _is_inflight(kind, body, called) else None
    named = owner if owner != session.stored.id else None
    what = _kind(kind, at(message.body, "role"), called)
    odd = part_problem(body, called)
    rows.records.append(_record(n, item, what, kind, message.id, status, (odd, named)))
    if item.fault is not None:
        rows.extend(damage_of(session, n, item))
    if body is None:
        return
    if n >= session.sent_from:
        rows.extend(unsendable_part(session, n, item, at(message.body, "role")))
    if called is not None:
        tool_rows(session, n, called, message, body, rows)
    elif session.full:  # no rule asks for them
        rows.add("part", plain_row(session, n, kind, body))
    tail = body.get("tail_start_id")
    if kind == "compaction" and tail is not None and _is_absent(session, tail):
        rows.add("state_kv", StateRow(session.key, n, "dangling", "tail_start_id", str(tail)))


def _kind(kind: str, role: Any, called: Tool | None) -> str:
    if kind == "tool":
        return "call" if called else "unknown"
    if kind in ("text", "file"):
        return ROLES.get(str(role), "state")
    if kind in _QUIET:
        return "state"
    return {"reasoning": "reasoning", "compaction": "boundary", "": "state"}.get(kind, "unknown")


def _is_inflight(kind: str, body: Any, called: Tool | None) -> bool:
    if called is not None:
        return called.result is None
    time = at(body, "time")
    return kind in ("text", "reasoning") and isinstance(time, dict) and "end" not in time


def _event_columns(events: Sequence[Event], first: int) -> dict[str, list[Any]]:
    """Half of all records are events, and nothing but their order is asked of them."""
    count = len(events)
    return {
        "n": list(range(first, first + count)),
        "kind": ["event"] * count,
        "type": [f"event/{e.type}" if isinstance(e.type, str) else "event" for e in events],
        "length": [event.length for event in events],
        "table": [EVENT] * count,
        "key": [key_of(event.id) for event in events],
        "id": [event.id for event in events],
        "recovered": [event.fault is not None for event in events],
        "ordinal": [integer(event.seq) for event in events],
        "lane": ["log"] * count,
        "sent": [False] * count,
    }


def _record(
    n: int,
    item: Item,
    kind: str,
    type: str,
    group: str | None = None,
    status: str | None = None,
    odd: tuple[str | None, str | None] = (None, None),
) -> tuple[Any, ...]:
    """`odd`: what is wrong with it, the session that it names."""
    problem, names = odd
    columns = item.columns
    data = columns.get("data")
    return (
        *(n, kind, type, len(data) if isinstance(data, str | bytes) else None, item.table),
        *(item.key, item.id, microseconds(columns.get("time_created")), item.fault is not None),
        *(group, status, "shape" if problem else None, problem, names),
    )
