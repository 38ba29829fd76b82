"""JSON lines of no known format: their bytes can be judged and mended, their meaning cannot."""

from collections.abc import Sequence
from pathlib import PurePath
from typing import get_args

from msgspec import Struct
from msgspec.json import Decoder

from suture.model.errors import Unsupported
from suture.model.files import Files, Writer
from suture.model.operation import Cut, Operation, Quarantine, Replace, Split
from suture.model.packed import zstd
from suture.model.rows import DamageRow, RecordRow, SessionRow, SourceRow
from suture.model.unit import UNKNOWN, Unit
from suture.stores._byte_edits import byte_edits
from suture.stores._jsonl import intake
from suture.stores._sink import Sink
from suture.stores._store import Head, Translated
from suture.stores.unknown.bare import BARE, is_bare_rollout


class _Object(Struct):
    """Any JSON object: all of it is checked, nothing is kept but a type."""

    type: object = None


_decode = Decoder(_Object).decode


def claims(head: Head) -> bool:
    """Never by content; a `.jsonl` that no other store claims is read as this one."""
    return False


def units(files: Files, paths: Sequence[str]) -> list[Unit]:
    return [Unit(0, UNKNOWN, (path,)) for path in paths]


def read(unit: Unit, files: Files, sink: Sink) -> None:
    path = unit.paths[0]
    session = sink.session_key()
    name = PurePath(path.removesuffix(".zst")).stem
    row = SessionRow(session, sink.unit, UNKNOWN, name, path)
    dialect = "jsonl.zst" if path.endswith(".zst") else "jsonl"
    try:
        data = files.data(path)
    except (OSError, EOFError, zstd.ZstdError) as error:
        reason = getattr(error, "strerror", None) or str(error) or "the file is cut off"
        sink.add("session", row)
        damage = DamageRow(sink.unit, path, "unreadable", None, None, None, reason.lower(), session)
        sink.add("damage", damage._replace(fixable=False))
        sink.add("source", SourceRow(sink.unit, UNKNOWN, path, dialect))
        return
    if is_bare_rollout(path, data):
        row = row._replace(client="codex", variant=BARE)
    sink.add("session", row)
    records = _read_lines(session, path, data, sink)
    sink.add("source", SourceRow(sink.unit, UNKNOWN, path, dialect, len(data), records))


def _read_lines(session: int, path: str, data: memoryview, sink: Sink) -> int:
    n = 0
    for piece, record, damage in intake(sink.unit, path, data, _decode, False):
        won = len(piece.raw) > 0
        for row in damage:
            sink.add("damage", row._replace(session=session, n=n if won else None))
        if not won:
            continue
        kind = record.type if record is not None and isinstance(record.type, str) else ""
        place = (piece.line, piece.offset, piece.length)
        found = RecordRow(session, n, "unknown", kind, *place, recovered=piece.recovered)
        sink.add("record", found)
        n += 1
    return n


def edits(unit: Unit, files: Files, operations: Sequence[Operation]) -> list[Translated]:
    path = unit.paths[0]
    data = files.data(path)
    done: list[Translated] = []
    for operation in operations:
        translated = byte_edits(path, data, operation)
        if translated is None:
            raise Unsupported(_REASON)
        done.append(translated)
    return done


def writers(unit: Unit) -> list[Writer]:
    return []


_REASON = "the format is not known, so only its bytes can be mended"
_BYTES = (Cut, Quarantine, Replace, Split)

SUPPORTS = {kind.__name__: "yes" if kind in _BYTES else _REASON for kind in get_args(Operation)}
