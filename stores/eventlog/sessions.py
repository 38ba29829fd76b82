"""The sessions of a file, one after the other."""

from collections.abc import Iterator

import msgspec

from suture.model.rows import DamageRow
from suture.stores._column_json import NO_JSON, read_slowly
from suture.stores._jsonl import Piece, intake
from suture.stores._loaded import MOST_TEXT
from suture.stores.eventlog.lines import Event, decode, from_object
from suture.stores.eventlog.payloads import SessionCreated
from suture.stores.eventlog.view import Session


def read_log(
    unit: int, path: str, data: memoryview, full: bool, key: Iterator[int]
) -> list[Session]:
    """The sessions of a file. A second header with another id starts another session."""
    found = [Session(next(key), path, full)]
    for piece, decoded, rows in intake(unit, path, data, decode, live=False):
        event = decoded
        deep = not len(piece.raw) and any(row.kind == "too_deep" for row in rows)
        if deep:
            piece = _shallow(piece, data)  # noqa: PLW2901
        if event is None and isinstance(piece.obj, dict):
            event = from_object(piece.obj, bytes(piece.raw))
        if event is not None and _begins_another(event, found[-1]):
            found.append(Session(next(key), path, full))
        session = found[-1]
        n = session.add(piece, event) if len(piece.raw) else None
        session.damage += [row._replace(session=session.key, n=n) for row in rows]
        twice = None if n is None else session.records[n].repeated
        if twice is not None and all(row.kind != "duplicate_key" for row in rows):
            session.damage.append(_repeated(unit, path, piece, session.key, n, twice))
        if n is not None and decoded is None and not deep and session.records[n].problem is None:
            shapes = [row.detail for row in rows if row.kind == "bad_shape"]
            session.records[n].problem = "shape"
            session.records[n].detail = shapes[0] if shapes else "it is no event of this format"
    return found


def _shallow(piece: Piece, data: memoryview) -> Piece:
    """What is too deep to be decoded tells of its call all the same: a writer has it, and the
    result that follows answers it."""
    if piece.length > MOST_TEXT:
        return piece
    raw = bytes(data[piece.offset : piece.offset + piece.length])
    value, _ = read_slowly(raw, "the line")
    return piece if value is NO_JSON else msgspec.structs.replace(piece, raw=raw, obj=value)


def _repeated(
    unit: int, path: str, piece: Piece, session: int, n: int | None, key: str
) -> DamageRow:
    detail = f"stands twice, the last one wins: payload.{key}"
    place = (piece.line, piece.offset, piece.length, detail, session, n)
    return DamageRow(unit, path, "duplicate_key", *place, field=key, fixable=False)


def _begins_another(event: Event, session: Session) -> bool:
    created = event.payload
    if not isinstance(created, SessionCreated) or session.header is None:
        return False
    return created.session_id != session.header.session_id and created.session_id is not None
