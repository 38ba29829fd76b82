"""One rollout file, read once into facts without texts."""

from suture.model.rows import DamageRow
from suture.stores._jsonl import duplicate_keys, is_healthy, stretches
from suture.stores.codex.calls import digest
from suture.stores.codex.copies import mark_copies
from suture.stores.codex.cut_end import cut_end
from suture.stores.codex.lines import Line, decode, lenient
from suture.stores.codex.meanings import MEANINGS
from suture.stores.codex.rollout import Rollout
from suture.stores.codex.walk import Walk


def read_rollout(unit: int, path: str, data: memoryview, live: bool = False) -> Rollout:
    """Never raises for damage: what cannot be read is in `damage`."""
    rollout = Rollout(path, data)
    walk = Walk(rollout)
    for found in stretches(unit, path, data, decode, live):
        if is_healthy(found):
            walk.stretch(found)
            continue
        assert isinstance(found, tuple)
        piece, line, damage = found
        n = None
        if line is not None:
            n = walk.piece(piece, line)
        elif piece.raw:
            loose, wrong = lenient(piece.obj)
            n = walk.piece(piece, loose, wrong)
            if _is_unknown(loose):  # its keys may hold anything
                damage = [row for row in damage if row.kind != "bad_shape"]
        if damage:
            rollout.damage += [_told(rollout, row._replace(n=n)) for row in damage]
    _finish(rollout, unit)
    return rollout


def _is_unknown(line: Line) -> bool:
    inner = None if line.payload is None else line.payload.type
    return MEANINGS[line.type, inner].kind == "unknown"


def _told(rollout: Rollout, row: DamageRow) -> DamageRow:
    if row.kind != "torn_tail" or row.offset is None or row.length is None:
        return row
    stub = bytes(rollout.data[row.offset : row.offset + row.length])
    return row._replace(fill=cut_end(stub, rollout.turns.open))


def _finish(rollout: Rollout, unit: int) -> None:
    """What only the whole file tells."""
    sent = rollout.history.sent
    rollout.records.lost = {n for n in rollout.records.skipped if sent[n]}
    for n in (*rollout.records.lost, *_without_call(rollout)):
        sent[n] = 0
    rollout.records.sent = sent
    if rollout.snapshot is not None:
        rollout.odd.snapshot(*rollout.snapshot)
    last = sent.rfind(1)
    if last >= 0:
        rollout.odd.tail(last)
    rollout.damage += _repeated_keys(rollout, unit)
    mark_copies(rollout)
    _digest_repeated(rollout)
    rollout.records.give_back()


def _without_call(rollout: Rollout) -> set[int]:
    """n of the results whose call is left out: a client leaves them out, too."""
    skipped = rollout.records.skipped
    if "call" not in rollout.records.values("kind", sorted(skipped)):
        return set()
    lost, left = set[str](), set[str]()
    for call in rollout.calls:
        if call.lane == "main":
            (lost if call.n in skipped else left).add(call.call_id)
    lost -= left
    results = (result for result in rollout.results if result.lane == "main")
    return {result.n for result in results if result.call_id in lost}


def _repeated_keys(rollout: Rollout, unit: int) -> list[DamageRow]:
    """Looked for where they would show: searching every line would cost as much as decoding it."""
    rows = []
    for n in sorted(rollout.strange - rollout.records.recovered):
        names = duplicate_keys(rollout.line(n))
        if names:
            detail = f"stands twice, the last one wins: {', '.join(names[:5])}"[:200]
            line, offset, length = rollout.records.place(n)
            row = DamageRow(unit, rollout.path, "duplicate_key", line, offset, length, detail)
            rows.append(row._replace(n=n, field=names[0], fixable=False))
    return rows


def _digest_repeated(rollout: Rollout) -> None:
    """Hashing every output would cost more than reading it; only two of one call are compared."""
    once, again = set[str](), set[str]()
    twice = rollout.results.repeated("call_id")
    for result in rollout.results if twice else ():
        if result.lane == "main" and result.call_id in twice:
            (again if result.call_id in once else once).add(result.call_id)
    for result in rollout.results if again else ():
        place = (result.n, result.part)
        if result.call_id in again and place not in rollout.digests:
            line = decode(rollout.line(result.n))
            if line.payload is not None:
                rollout.digests[place] = digest(line.payload)
