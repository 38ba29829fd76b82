"""What is wrong with a line that the fast decoder refused, and which records can be won from it."""

import re
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from msgspec import Struct, field

from suture.model.rows import DamageRow
from suture.stores._faults import fault_rows, loaded_rows, shape_row
from suture.stores._line import Line, counted, no_final_newline
from suture.stores._loaded import MOST_TEXT, duplicate_keys, load
from suture.stores._mend import mend
from suture.stores._piece import Intake, Piece
from suture.stores._shadow import BOM, MOST_DEPTH, depth, shadow_of
from suture.stores._split_line import Range, Split, is_json, split

__all__ = ["Verdict", "duplicate_keys", "examine"]

T = TypeVar("T")
_MOST_RUNS = 20
_UNFINISHED = "a record that is still being written"
_NULS = re.compile(rb"\0++")
_RAW_ID = re.compile(rb'"uuid"\s*+:\s*+"([^"\\\x00-\x1f]{1,200})"')
_RAW_PARENT = re.compile(rb'"parentUuid"\s*+:\s*+"([^"\\\x00-\x1f]{1,200})"')


class Verdict(Struct, Generic[T]):
    line: Line
    won: list[tuple[Piece, T | None]] = field(default_factory=list)
    rows: list[DamageRow] = field(default_factory=list)
    lost: bool = False  # bytes that ought to be a record and are none
    unfinished: bool = False  # an object starts here and may go on in the next line

    def tuples(self) -> Iterator[Intake[T]]:
        """All rows ride on the first record; an empty piece carries them when there is none."""
        rows, line = self.rows, self.line
        for piece, value in self.won:
            yield piece, value, rows
            rows = []
        if rows and not self.won:
            length = len(line.raw) if self.lost else 0
            yield Piece(line.number, line.offset, length, b"", False), None, rows


def examine(line: Line, fast: Callable[[bytes], T]) -> Verdict[T]:
    verdict: Verdict[T] = Verdict(line)
    shadow = shadow_of(line.raw, line.offset == 0)
    if line.raw.startswith(BOM) and line.offset == 0:
        verdict.rows.append(line.row("bom", 0, 3, "a byte order mark before the first record"))
    verdict.rows += _nul_rows(line)
    text = shadow.strip()
    if not text:
        verdict.lost = b"\0" in line.raw
        return verdict
    if text[:1] != b"{" and is_json(text):
        what = "an array" if text[:1] == b"[" else "null" if text == b"null" else "a single value"
        verdict.rows.append(line.row("not_a_record", 0, len(line.raw), f"the line is {what}"))
        return verdict
    parts = split(shadow)
    if not parts.records and _closes_without_nuls(line.raw):
        parts = Split([(0, len(line.raw))])
    damaged = bool(verdict.rows) or len(parts.records) > 1 or bool(parts.junk) or line.count > 1
    sound = [place for place in parts.records if not (parts.junk and _has_hole(line, place))]
    taken = [place for place in sound if _win(verdict, place, damaged, fast)]
    if len(taken) < len(parts.records):
        refused = set(parts.records).difference(taken)
        parts = Split(taken, sorted([*parts.junk, *refused]))
    _judge_rest(verdict, parts)
    if won := sum(len(piece.raw) > 0 for piece, _ in verdict.won):
        verdict.rows = [row._replace(recovered=won) for row in verdict.rows]
    return verdict


def _has_hole(line: Line, place: Range) -> bool:
    """With bytes left over beside it, what stands around the NULs need not be one record: the bytes
    that they took the place of may have held the end of the one and the start of the next."""
    return b"\0" in line.raw[slice(*place)]


def _closes_without_nuls(raw: bytes) -> bool:
    """NUL bytes inside a number or an escape: only taking them out helps."""
    return b"\0" in raw and is_json(shadow_of(raw.replace(b"\0", b"")))


def _nul_rows(line: Line) -> list[DamageRow]:
    rows: list[DamageRow] = []
    if b"\0" not in line.raw:
        return rows
    runs = [found.span() for found in _NULS.finditer(line.raw)]
    for start, stop in runs[:_MOST_RUNS]:
        rows.append(
            line.row("nul_region", start, stop, counted(stop - start, "NUL byte", "NUL bytes"))
        )
    if more := runs[_MOST_RUNS:]:
        detail = counted(len(more), "more run", "more runs") + " of NUL bytes"
        rows.append(line.row("nul_region", more[0][0], more[-1][1], detail)._replace(fixable=False))
    return rows


def _win(verdict: Verdict[T], place: Range, damaged: bool, fast: Callable[[bytes], T]) -> bool:
    line = verdict.line
    start, stop = place
    stored = line.raw[start:stop]
    mended = mend(stored)
    rows = fault_rows(line, start, stop, mended)
    value, refusal = _tried(fast, mended.raw)
    try:
        loaded = load(mended.raw) if len(mended.raw) <= MOST_TEXT else None
        too_deep = False
    except RecursionError:
        loaded, too_deep = None, True
    except ValueError:  # not only what is mended is wrong with it
        return False
    if loaded is None and not too_deep and not is_json(mended.raw):
        return False
    if too_deep or depth(mended.raw) > MOST_DEPTH:
        rows.append(line.row("too_deep", start, stop, f"nested more than {MOST_DEPTH} levels deep"))
    elif isinstance(refusal, ValueError):
        rows.append(shape_row(line, place, refusal))
    if loaded is not None:
        rows += loaded_rows(line, place, loaded)
    verdict.rows += rows
    recovered = damaged or mended.raw != stored
    won = value is not None or not too_deep
    obj = loaded.obj if loaded else None
    piece = Piece(
        line.number, line.offset + start, stop - start, mended.raw if won else b"", recovered, obj
    )
    verdict.won.append((piece, value))
    return True


def _tried(fast: Callable[[bytes], T], raw: bytes) -> tuple[T | None, Exception | None]:
    try:
        return fast(raw), None
    except (ValueError, RecursionError) as refusal:
        return None, refusal


def _judge_rest(verdict: Verdict[T], parts: Split) -> None:
    line = verdict.line
    if not parts.records:
        verdict.lost = True
        verdict.unfinished = line.terminated and line.raw.lstrip(b" \t\0").startswith(
            (b"{", BOM + b"{")
        )
        verdict.rows.append(_unreadable_row(line))
        return
    for start, stop in parts.junk:
        verdict.rows.append(_junk_row(line, start, stop, parts.records[0][0]))
    if len(parts.records) > 1:
        detail = f"{len(parts.records)} records on one line"
        row = line.row("missing_newline", 0, len(line.raw), detail)
        at = line.places(0, [start for start, _ in parts.records[1:]])
        verdict.rows.append(row._replace(at=at))
    junk_last = bool(parts.junk) and parts.junk[-1][0] > parts.records[-1][0]
    if not line.terminated and not junk_last:
        verdict.rows.append(no_final_newline(line))


def _junk_row(line: Line, start: int, stop: int, first_record: int) -> DamageRow:
    kept = line.raw[start:stop]
    stop -= len(kept) - len(kept.rstrip(b"\0"))
    size = counted(stop - start, "byte", "bytes")
    if start > first_record:
        if line.live and not line.terminated and stop >= len(line.raw.rstrip()):
            return line.row("partial_last_line", start, stop, _UNFINISHED)
        return line.row("splice", start, stop, f"{size} after a whole record")
    return line.row("splice", start, stop, f"{size} of a cut record before a whole one")


def _unreadable_row(line: Line) -> DamageRow:
    start = 3 if line.offset == 0 and line.raw.startswith(BOM) else 0
    body = line.raw[start:]
    start += len(body) - len(body.lstrip(b"\0"))
    stop = len(line.raw.rstrip(b"\0"))
    if line.terminated:
        row = line.row("bad_json", start, stop, "the line is not JSON")._replace(fixable=False)
    elif line.live:
        row = line.row("partial_last_line", start, stop, _UNFINISHED)
    else:
        row = line.row("torn_tail", start, stop, "the last record is cut off")
    return row._replace(raw_id=_seen(_RAW_ID, line.raw), raw_parent=_seen(_RAW_PARENT, line.raw))


def _seen(pattern: re.Pattern[bytes], raw: bytes) -> str | None:
    found = pattern.search(raw)
    return found[1].decode("utf-8", "replace") if found else None
