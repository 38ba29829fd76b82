"""Small logs read through the intake, and what is said of them."""

import msgspec

from suture.model.rows import DamageRow
from suture.stores._jsonl import Piece, intake


class Record(msgspec.Struct):
    type: str | None = None
    uuid: str | None = None
    n: int | None = None


_decode = msgspec.json.Decoder(Record).decode
A = b'{"type":"a","uuid":"u1","n":1}'
B = b'{"type":"b","uuid":"u2","n":2,"text":"some text"}'
C = b'{"type":"c","uuid":"u3","sessionId":"s","n":3}'
BROKEN = b'{"type":"r","n":1,"text":"one\ntwo\n\nthree"}'
Read = list[tuple[Piece, Record | None, list[DamageRow]]]


def read(data: bytes, live: bool = False) -> Read:
    return list(intake(3, "log.jsonl", memoryview(data), _decode, live))


def rows_of(found: Read) -> list[DamageRow]:
    return [row for _, _, rows in found for row in rows]


def kinds(data: bytes, live: bool = False) -> list[str]:
    return [row.kind for row in rows_of(read(data, live))]


def only(data: bytes, live: bool = False) -> DamageRow:
    [row] = rows_of(read(data, live))
    return row


def won(data: bytes) -> list[tuple[str | None, bool]]:
    return [(record.type, piece.recovered) for piece, record, _ in read(data) if record]


def place_of(row: DamageRow) -> tuple[int | None, int | None, int | None]:
    return row.line, row.offset, row.length
