"""Messages made of pieces as rows of the canonical tables."""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import pairwise
from typing import Any

import msgspec
from msgspec import Struct

from suture.model.answer import is_marked
from suture.model.rows import (
    CallRow,
    DamageRow,
    OddPartRow,
    PartRow,
    RecordRow,
    ResultRow,
    TurnRow,
)
from suture.stores._pieces import NOT_RECORDED, Message, Piece, Problem
from suture.stores._tables import Record, encoded, row_damage
from suture.stores._times import microseconds

Out = Iterator[tuple[str, tuple[Any, ...]]]


class View(Struct, frozen=True):
    unit: int
    key: int
    path: str
    table: str
    time: str  # column
    content: str  # column
    messages: Sequence[Message]
    allowed: Mapping[tuple[int, str], str]  # message and id of a call that may stay open → why
    full: bool


def talk(view: View) -> Out:
    for n, message in enumerate(view.messages):
        yield from _record(view, n, message)
    yield from _turns(view)


def place(row: Record) -> str:
    return encoded({"id": row["id"]})


def damage(
    unit: int, path: str, problem: Problem, table: str, key: str, session: int, n: int | None = None
) -> DamageRow:
    return row_damage(
        unit,
        path,
        problem.kind,
        problem.detail,
        session=session,
        n=n,
        field=problem.field,
        fixable=problem.fixable,
        table=table,
        key=key,
    )


def _record(view: View, n: int, message: Message) -> Out:
    row = message.row
    for problem in message.problems:
        key = place(row)
        yield "damage", damage(view.unit, view.path, problem, view.table, key, view.key, n)
    odd = next((p.detail for p in message.problems if p.kind == "bad_shape"), None)
    strange = message.kind == "unknown" and any(p.kind == "unknown" for p in message.pieces)
    yield (
        "record",
        RecordRow(
            session=view.key,
            n=n,
            kind=message.kind,
            type=message.pieces[0].type if strange else message.type,
            length=_size(row[view.content]),
            table=view.table,
            key=place(row),
            id=str(row.get("message_id") or row["id"]),
            time=microseconds(row[view.time]),
            group=str(row["id"]) if message.kind in ("reply", "call") else None,
            lane=message.lane,
            sent=message.sent and bool(message.pieces),
            status=message.status,
            problem="shape" if odd else None,
            detail=odd,
        ),
    )
    for part, piece in enumerate(message.pieces):
        yield from _piece(view, n, part, piece)


def _size(value: Any) -> int:
    return len(value) if isinstance(value, bytes) else len(str(value).encode("utf-8", "replace"))


def _piece(view: View, n: int, part: int, piece: Piece) -> Out:
    data = msgspec.json.encode(piece.raw)
    said = piece.text if piece.kind in ("text", "reasoning", "result") else None
    size = len(said.encode("utf-8", "replace")) if said is not None else len(data)
    kind = "other" if piece.kind == "unknown" else piece.kind
    shown = (said, data) if view.full else (None, None)
    yield "part", PartRow(view.key, n, part, kind, piece.call_id, size, *shown)
    if piece.kind == "unknown" and view.messages[n].kind != "unknown":
        yield "odd_part", OddPartRow(view.key, n, part, "unknown_type", piece.type)
    if piece.kind == "call" and piece.call_id is not None:
        yield "call", _call(view, n, part, piece, piece.call_id)
    if piece.kind == "result" and piece.call_id is not None:
        yield "result", _result(view, n, part, piece, piece.call_id)


def _call(view: View, n: int, part: int, piece: Piece, call_id: str) -> CallRow:
    return CallRow(
        session=view.key,
        n=n,
        part=part,
        call_id=call_id,
        lane=view.messages[n].lane,
        pos=n,
        name=piece.name,
        outcome="never_started" if piece.never_started else "unknown",
        reason=piece.never_started or NOT_RECORDED,
        batch=str(view.messages[n].row["id"]),
        server=piece.server,
        legal_open=view.allowed.get((n, call_id)),
        malformed=piece.malformed,
    )


def _result(view: View, n: int, part: int, piece: Piece, call_id: str) -> ResultRow:
    data = piece.text.encode("utf-8", "replace") or msgspec.json.encode(piece.raw)
    return ResultRow(
        session=view.key,
        n=n,
        part=part,
        call_id=call_id,
        lane=view.messages[n].lane,
        pos=n,
        status="error" if piece.error else "ok",
        placeholder=is_marked(piece.text),
        marked=is_marked(piece.text),
        digest=sha256(data).hexdigest()[:16],
        bytes=len(data),
    )


def _turns(view: View) -> Out:
    """From one message of the user to the next; complete if a finished reply ends it."""
    messages = view.messages
    main = [n for n, message in enumerate(messages) if message.lane == "main"]
    starts = [at for at, n in enumerate(main) if messages[n].kind == "prompt"]
    for turn, (first, stop) in enumerate(pairwise([*starts, len(main)])):
        start, end = main[first], main[stop - 1]
        last = messages[end]
        done = last.kind == "reply" and last.status != "unfinished"
        yield (
            "turn",
            TurnRow(
                session=view.key,
                turn=turn,
                id=None,
                start_n=start,
                end_n=end if done else None,
                status="complete" if done else "open",
                started=microseconds(messages[start].row[view.time]),
                ended=microseconds(last.row[view.time]) if done else None,
            ),
        )
