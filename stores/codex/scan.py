"""One rollout file, read once into facts without texts."""

from collections import Counter

from suture.model.rows import DamageRow
from suture.stores._jsonl import Piece, duplicate_keys, intake
from suture.stores.codex.calls import digest
from suture.stores.codex.copies import mark_copies
from suture.stores.codex.lines import Line, decode, lenient
from suture.stores.codex.records import Record
from suture.stores.codex.rollout import Rollout


def read_rollout(unit: int, path: str, data: memoryview, live: bool = False) -> Rollout:
    """Never raises for damage: what cannot be read is in `damage`."""
    rollout = Rollout(path, data)
    for piece, line, damage in intake(unit, path, data, decode, live):
        n = None
        if line is not None:
            record = rollout.add(piece, line)
            n = record.n
            if _is_odd(record, line) and not piece.recovered:
                rollout.damage += _repeated_keys(unit, path, piece, n)
        elif piece.raw:
            loose, wrong = lenient(piece.obj)
            n = rollout.add(piece, loose, wrong).n
        if damage:
            rollout.damage += [row._replace(n=n) for row in damage]
    for n in rollout.history.sent:
        rollout.records[n].sent = True
    if rollout.snapshot is not None:
        rollout.odd.snapshot(*rollout.snapshot)
    if rollout.history.sent:
        rollout.odd.tail(rollout.records[rollout.history.sent[-1]])
    mark_copies(rollout)
    _digest_repeated(rollout)
    return rollout


def _is_odd(record: Record, line: Line) -> bool:
    """Whether a key may stand twice: searching every line would cost as much as decoding it."""
    kind = record.kind
    if kind == "unknown" or line.payload is None:
        return True
    if kind in ("call", "result"):
        return line.payload.call_id is None
    return kind == "injected" and line.payload.role is None


def _repeated_keys(unit: int, path: str, piece: Piece, n: int) -> list[DamageRow]:
    names = duplicate_keys(bytes(piece.raw))
    if not names:
        return []
    detail = f"stands twice, the last one wins: {', '.join(names[:5])}"[:200]
    place = (piece.line, piece.offset, piece.length)
    row = DamageRow(unit, path, "duplicate_key", *place, detail, n=n, field=names[0])
    return [row._replace(fixable=False)]


def _digest_repeated(rollout: Rollout) -> None:
    """Hashing every output would cost more than reading it; only two of one call are compared."""
    count = Counter(result.call_id for result in rollout.results if result.lane == "main")
    for result in rollout.results:
        if count[result.call_id] > 1 and result.digest is None:
            record = rollout.records[result.n]
            line = decode(rollout.data[record.offset : record.offset + record.length])
            if line.payload is not None:
                result.digest = digest(line.payload)
