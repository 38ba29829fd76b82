"""One session's rows as the canonical tables: the raw history, and the window as a second lane."""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from suture.model.answer import is_marked
from suture.model.edit import Value
from suture.model.rows import (
    CallRow,
    DamageRow,
    EntryRow,
    PartRow,
    RecordRow,
    ResultRow,
    SessionRow,
)
from suture.stores._times import microseconds
from suture.stores.laxcode.fields import Call, Problem, answered, calls, content, encoded
from suture.stores.laxcode.periods import compactions, steps, turns
from suture.stores.laxcode.tables import COUNTER, RAW, WINDOW, Record, Stored, integer, string
from suture.stores.laxcode.window import Entry, Window, current_window, entry, is_summary

_KINDS = {"system": "injected", "user": "prompt", "assistant": "reply", "tool": "result"}
_NOT_STARTED_UNKNOWN = "the store does not record whether a tool was started"

Out = Iterator[tuple[str, tuple[Any, ...]]]


class Session:
    """What the parts of the view share."""

    def __init__(self, unit: int, key: int, path: str, stored: Stored, full: bool) -> None:
        self.unit, self.key, self.path, self.stored, self.full = unit, key, path, stored, full
        self.window: Window = current_window(stored)
        self.calls = [calls(row) for row in stored.raw]
        self.n_of = {integer(row["seq"]): n for n, row in enumerate(stored.raw)}
        self.notes = [n for n, row in enumerate(stored.raw) if _is_note(row)]

    def seq(self, n: int) -> int | None:
        return integer(self.stored.raw[n]["seq"])


def rows(unit: int, key: int, path: str, stored: Stored, full: bool) -> Out:
    session = Session(unit, key, path, stored, full)
    yield "session", _session(session)
    for n, row in enumerate(stored.raw):
        yield from _raw(session, n, row)
    yield from _entries(session)
    for compaction in compactions(key, stored):
        yield "compaction", compaction
    for turn in turns(key, stored):
        yield "turn", turn
    for step in steps(key, stored):
        yield "step", step


def _session(session: Session) -> SessionRow:
    stored = session.stored
    head = stored.session
    return SessionRow(
        session=session.key,
        unit=session.unit,
        store="laxcode",
        id=stored.id,
        path=session.path,
        variant="D",
        header_id=stored.id if head else None,
        created=microseconds(head.get("created_at")) if head else None,
        client="laxcode",
        counter=integer(head.get(COUNTER)) if head else None,
        context_version=stored.version,
        leaf=len(stored.raw) - 1 if stored.raw else None,
        numbered=True,
        first_ordinal=1,
        meta_required=head is None,
    )


def _raw(session: Session, n: int, row: Record) -> Out:
    found, problem = session.calls[n]
    role = string(row["role"])
    if role not in _KINDS:
        problem = problem or Problem("bad_shape", "role", f"role is {_shown(row['role'])}")
    elif not isinstance(row["content"], str):
        problem = problem or _bad_text(row["content"])
    elif role == "tool" and answered(row) is None:
        problem = problem or Problem("bad_shape", "tool_call_id", "a tool row answers no call")
    key = {"session_id": session.stored.id, "seq": row["seq"]}
    if problem:
        yield "damage", _damage(session, problem, RAW, key, n)
    seq = session.seq(n)
    yield (
        "record",
        RecordRow(
            session=session.key,
            n=n,
            kind="call" if found else _KINDS.get(role or "", "unknown"),
            type=role or "unknown",
            length=len(content(row).encode("utf-8", "replace")),
            table=RAW,
            key=encoded(key),
            ordinal=seq,
            time=microseconds(row.get("created_at")),
            group=str(row["seq"]) if role == "assistant" else None,
            sent=_sent(session, seq),
            names_session=session.stored.id,
            problem="shape" if problem else None,
            detail=problem.detail if problem else None,
        ),
    )
    yield from _parts(session, n, row, found)


def _sent(session: Session, seq: int | None) -> bool | None:
    if not session.window.entries:
        return None
    one = session.window.by_original.get(seq) if seq is not None else None
    return one is not None and not is_summary(session.stored, one)


def _parts(session: Session, n: int, row: Record, found: list[Call]) -> Out:
    part = 0
    for kind, value in (("reasoning", row.get("reasoning")), ("text", row["content"])):
        if row.get("role") == "tool" and kind == "text":
            yield "part", _part(session, n, part, "result", value, answered(row))
        elif value:
            yield "part", _part(session, n, part, kind, value)
        else:
            continue
        part += 1
    for call in found:
        yield "part", _part(session, n, part, "call", call.raw, call.id)
        yield "call", _call(session, call, n, part, "main", n, str(row["seq"]))
        part += 1
    call_id = answered(row)
    if call_id is not None:
        yield "result", _result(session, row, n, call_id, "main", n)


def _part(
    session: Session, n: int, part: int, kind: str, value: Value, call_id: str | None = None
) -> PartRow:
    data = value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")
    shown = data.decode("utf-8", "replace") if session.full else None
    return PartRow(
        session.key, n, part, kind, call_id, len(data), shown, data if session.full else None
    )


def _call(
    session: Session, call: Call, n: int, part: int, lane: str, pos: int, batch: str
) -> CallRow:
    return CallRow(
        session=session.key,
        n=n,
        part=part,
        call_id=call.id,
        lane=lane,
        pos=pos,
        name=call.name,
        reason=_NOT_STARTED_UNKNOWN,
        batch=batch,
        legal_open=_left_out(session, call, n) if lane == "main" else None,
        malformed=call.malformed,
    )


def _left_out(session: Session, call: Call, n: int) -> str | None:
    """A repair by `drop` leaves the raw history alone and takes the call out of the window."""
    if call.id in session.window.call_ids or not session.window.entries:
        return None
    later = next((note for note in session.notes if note > n), None)
    return None if later is None else f"left out of the window by the note at {session.seq(later)}"


def _is_note(row: Record) -> bool:
    return row["role"] == "user" and is_marked(content(row))


def _result(session: Session, row: Record, n: int, call_id: str, lane: str, pos: int) -> ResultRow:
    data = content(row).encode("utf-8", "replace")
    marked = is_marked(content(row))
    return ResultRow(
        session=session.key,
        n=n,
        part=1 if row.get("reasoning") else 0,
        call_id=call_id,
        lane=lane,
        pos=pos,
        placeholder=marked,
        marked=marked,
        digest=sha256(data).hexdigest()[:16],
        bytes=len(data),
    )


def _entries(session: Session) -> Out:
    stored = session.stored
    known = iter(session.window.entries)
    for pos, row in enumerate(stored.window):
        current = stored.version_of(row) == stored.version
        one = next(known) if current else entry(stored, row)
        n = _home(session, one)
        key = {"id": row["id"]} if "id" in row else {"session_id": stored.id, "seq": row["seq"]}
        for problem in one.problems:
            yield "damage", _damage(session, problem, WINDOW, key, n)
        summary = is_summary(stored, one)
        yield (
            "context_entry",
            EntryRow(
                session=session.key,
                version=one.version,
                pos=one.seq if one.seq is not None else pos,
                n=None if summary else n,
                kind="summary" if summary else "original",
                current=current,
                original_seqs=one.originals,
                call_ids=[call.id for call in one.calls],
                result_id=one.answers,
                table=WINDOW,
                key=encoded(key),
            ),
        )
        if current:
            yield from _window_pairs(session, one, pos, n)


def _window_pairs(session: Session, one: Entry, pos: int, n: int | None) -> Out:
    place = one.seq if one.seq is not None else pos
    home = n if n is not None else 0
    for number, call in enumerate(one.calls):
        part = _part_of(session, home, call, number)
        yield "call", _call(session, call, home, part, "window", place, f"window {place}")
    if one.answers is not None:
        yield "result", _result(session, one.row, home, one.answers, "window", place)


def _home(session: Session, one: Entry) -> int | None:
    """The raw message that the row stands for, or the last of them that is there."""
    return next((session.n_of[s] for s in reversed(one.originals) if s in session.n_of), None)


def _part_of(session: Session, n: int, call: Call, number: int) -> int:
    if n >= len(session.stored.raw):
        return number
    row = session.stored.raw[n]
    before = sum(1 for field in ("reasoning", "content") if row.get(field))
    ids = [known.id for known in session.calls[n][0]]
    return before + (ids.index(call.id) if call.id in ids else number)


def _bad_text(value: Value) -> Problem:
    if isinstance(value, bytes):
        try:
            value.decode()
        except UnicodeDecodeError:
            return Problem("invalid_utf8", "content", "content holds bytes that are not UTF-8")
    return Problem("bad_shape", "content", f"content is {_shown(value)}")


def _shown(value: Value) -> str:
    return "NULL" if value is None else f"{type(value).__name__} {value!r:.40}"


def _damage(
    session: Session, problem: Problem, table: str, key: dict[str, Value], n: int | None
) -> DamageRow:
    return DamageRow(
        unit=session.unit,
        path=session.path,
        kind=problem.kind,
        line=None,
        offset=None,
        length=None,
        detail=problem.detail,
        session=session.key,
        n=n,
        field=problem.field,
        fixable=False,
        table=table,
        key=encoded(key),
    )
