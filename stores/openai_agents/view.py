"""One session's rows as the canonical tables. A branch is a lane; it shares rows with others."""

from collections.abc import Iterator
from hashlib import sha256
from itertools import chain, pairwise
from typing import Any

import msgspec

from suture.model.answer import is_marked
from suture.model.edit import Value
from suture.model.rows import (
    CallRow,
    CompactionRow,
    DamageRow,
    OddPartRow,
    ResultRow,
    SessionRow,
    StateRow,
    TurnRow,
)
from suture.stores._rows import add_rows
from suture.stores._sink import Sink
from suture.stores._tables import Record, encoded, row_damage
from suture.stores._times import each_microseconds, microseconds
from suture.stores.openai_agents.items import FAMILY, Item, item
from suture.stores.openai_agents.references import references
from suture.stores.openai_agents.responses import LONE, Responses
from suture.stores.openai_agents.tables import MAIN, Stored, row_key

UNLISTED = "unlisted"  # lane of messages that no branch lists: no load returns them

Out = Iterator[tuple[str, tuple[Any, ...]]]


class Session:
    """What the parts of the view share."""

    def __init__(self, unit: int, key: int, path: str, stored: Stored, full: bool) -> None:
        self.unit, self.key, self.path, self.stored, self.full = unit, key, path, stored, full
        self.items = [item(row) for row in stored.messages]
        self.lanes = [lane(stored, row) for row in stored.messages]
        self.responses = Responses(self.items, self.lanes)
        stamps = [row["created_at"] for row in stored.messages]
        self.times: list[int | None] = each_microseconds(stamps).to_pylist()

    def pos(self, n: int) -> int:
        home = self.stored.home(self.stored.messages[n])
        return number(home["sequence_number"]) if home else n


def number(value: Value) -> int:
    return int(value) if isinstance(value, int | float) else 0


def lane_name(branch: Value) -> str:
    return MAIN if branch == MAIN else "branch " + str(branch)


def lane(stored: Stored, message: Record) -> str:
    if stored.tables.variant != "advanced":
        return MAIN
    home = stored.home(message)
    return UNLISTED if home is None else lane_name(home["branch_id"])


def fill(unit: int, key: int, path: str, stored: Stored, sink: Sink) -> None:
    session = Session(unit, key, path, stored, sink.full)
    sink.add("session", _session(session))
    if stored.head is not None and not stored.messages:  # its places name the row of the session
        named = (stored.tables.sessions, encoded(stored.key))
        sink.add("state_kv", StateRow(key, None, "emptied", *named))
    for row in references(session.unit, session.key, path, stored):
        sink.add("damage", row)
    _records(session, sink)
    for table, found in chain(_shared(session), _turns(session), _compactions(session)):
        sink.add(table, found)


def _session(session: Session) -> SessionRow:
    stored = session.stored
    head = stored.head
    main = [n for n, name in enumerate(session.lanes) if name == MAIN]
    return SessionRow(
        session=session.key,
        unit=session.unit,
        store="openai-agents",
        id=stored.id,
        path=session.path,
        variant=stored.tables.variant,
        header_id=stored.id if head else None,
        created=microseconds(head["created_at"]) if head else None,
        client="openai-agents",
        leaf=main[-1] if main else None,
        meta_required=head is None,
    )


_RECORD = (
    *("n", "kind", "type", "length", "key", "id", "time", "group", "lane", "sent", "status"),
    *("problem", "detail"),
)
_PART = ("n", "part", "type", "call_id", "bytes", "text", "data")


def _records(session: Session, sink: Sink) -> None:
    records: list[tuple[Any, ...]] = []
    parts: list[tuple[Any, ...]] = []
    responses, lanes, add = session.responses, session.lanes, records.append
    for n, one in enumerate(session.items):
        row, value, problem, lane_ = one.row, one.value, one.problem, lanes[n]
        key = row_key(row)
        if problem is not None:
            sink.add("damage", _damage(session, n, one, key))
        if responses.lone(n):
            sink.add("odd_part", OddPartRow(session.key, n, 0, "bad_reasoning", LONE))
        add(
            (
                *(n, one.kind, one.type, len(_bytes(row["message_data"])), key),
                *(_own_id(one), session.times[n], responses.name(n), lane_),
                *(lane_ == MAIN and bool(value), _status(one)),
                "shape" if problem is not None and problem.kind == "bad_shape" else None,
                None if problem is None else problem.detail,
            )
        )
        if session.full:  # no rule asks for them
            parts += _parts(n, one)
        if one.kind == "call" and one.call_id is not None:
            sink.add("call", _call(session, n, one, lane_, session.pos(n)))
        elif one.kind == "result" and one.call_id is not None:
            sink.add("result", _result(session, n, one))
    table = session.stored.tables.messages
    add_rows(sink, "record", _RECORD, records, session=session.key, table=table)
    add_rows(sink, "part", _PART, parts, session=session.key)


def _own_id(one: Item) -> str | None:
    found = one.value.get("id")
    return found if isinstance(found, str) else None


def _status(one: Item) -> str | None:
    found = one.value.get("status")
    return found if isinstance(found, str) else None


def _parts(n: int, one: Item) -> list[tuple[Any, ...]]:
    if not one.type.startswith("message/"):
        kind = one.kind if one.kind in ("reasoning", "call", "result") else "other"
        data = _bytes(one.row["message_data"])
        return [_part(n, 0, kind, data, one.text or None, one.call_id)]
    found = []
    for part, block in enumerate(one.content):
        said = block.get("text", block.get("refusal"))
        kind = "image" if block.get("type") == "input_image" else "other"
        kind = "text" if isinstance(said, str) else kind
        data = msgspec.json.encode(block)
        found.append(_part(n, part, kind, data, said if kind == "text" else None, None))
    return found


def _part(
    n: int, part: int, kind: str, data: bytes, said: str | None, call_id: str | None
) -> tuple[Any, ...]:
    size = len(said.encode("utf-8", "replace")) if said is not None else len(data)
    return n, part, kind, call_id, size, said, data


def _call(session: Session, n: int, one: Item, lane_: str, pos: int) -> CallRow:
    return CallRow(
        session=session.key,
        n=n,
        part=0,
        call_id=one.call_id or "",
        lane=lane_,
        pos=pos,
        name=one.name,
        family=FAMILY.get(one.type, one.type),
        outcome="never_started" if one.never_started else "unknown",
        reason=one.reason,
        batch=session.responses.name(n),
        server=one.server,
        legal_open=_legal_open(session, one),
        malformed=one.malformed,
        item_id=_own_id(one),
    )


def _legal_open(session: Session, one: Item) -> str | None:
    if one.type == "mcp_approval_request":
        return "a person is asked to approve it"
    if one.type == "program" and one.call_id in session.responses.callers:
        return "the provider goes on with its calls"
    if one.type == "shell_call" and one.caller and _status(one) in (None, "in_progress"):
        return "the provider runs it for a program"
    return None


def _result(session: Session, n: int, one: Item) -> ResultRow:
    said = one.text
    data = said.encode("utf-8", "replace") or _bytes(one.row["message_data"])
    return ResultRow(
        session=session.key,
        n=n,
        part=0,
        call_id=one.call_id or "",
        lane=session.lanes[n],
        pos=session.pos(n),
        family=FAMILY.get(one.type, one.type),
        placeholder=is_marked(said),
        marked=is_marked(said),
        digest=sha256(data).hexdigest()[:16],
        bytes=len(data),
    )


def _shared(session: Session) -> Out:
    """A branch answers a call of the rows that it shares: the call stands in its lane too."""
    answers = {
        (session.lanes[n], one.call_id)
        for n, one in enumerate(session.items)
        if one.kind == "result"
    }
    for n, one in enumerate(session.items):
        if one.kind != "call" or not one.call_id:
            continue
        for place in session.stored.places.get(one.row["id"], ()):
            name = lane_name(place["branch_id"])
            if name != session.lanes[n] and (name, one.call_id) in answers:
                yield "call", _call(session, n, one, name, number(place["sequence_number"]))


def _turns(session: Session) -> Out:
    """From one user message to the next; complete if a reply ends it."""
    main = [n for n, name in enumerate(session.lanes) if name == MAIN]
    starts = [i for i, n in enumerate(main) if session.items[n].kind == "prompt"]
    for turn, (start, stop) in enumerate(pairwise([*starts, len(main)])):
        last = main[stop - 1]
        done = session.items[last].kind == "reply"
        yield (
            "turn",
            TurnRow(
                session=session.key,
                turn=turn,
                id=None,
                start_n=main[start],
                end_n=last if done else None,
                status="complete" if done else "open",
                started=session.times[main[start]],
                ended=session.times[last] if done else None,
            ),
        )


def _compactions(session: Session) -> Out:
    found = [n for n, one in enumerate(session.items) if one.kind == "summary"]
    for count, n in enumerate(found, 1):
        yield (
            "compaction",
            CompactionRow(
                session=session.key,
                number=count,
                n=n,
                summary_n=n,
                originals_stored=False,  # the session is cleared, then filled with the new items
                opaque=True,
            ),
        )


def _bytes(value: Value) -> bytes:
    if isinstance(value, bytes):
        return value
    return b"" if value is None else str(value).encode("utf-8", "replace")


def _damage(session: Session, n: int, one: Item, key: str) -> DamageRow:
    assert one.problem is not None
    return row_damage(
        session.unit,
        session.path,
        one.problem.kind,
        one.problem.detail,
        session=session.key,
        n=n,
        field="message_data",
        fixable=one.problem.fixable,
        table=session.stored.tables.messages,
        key=key,
    )
