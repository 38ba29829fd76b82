"""The intake of JSON lines: every record of a file with its place, and all damage as rows."""

from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from typing import Generic, TypeGuard, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from suture.model.files import give_back
from suture.model.rows import DamageRow
from suture.stores._blocks import Block, block_at
from suture.stores._doubts import Doubts, doubts_of
from suture.stores._encoding import HEAD, foreign_encoding
from suture.stores._examine import Verdict, examine
from suture.stores._joined import LookAhead
from suture.stores._line import Line, counted, no_final_newline
from suture.stores._loaded import duplicate_keys
from suture.stores._piece import Intake, Piece

__all__ = ["Healthy", "Piece", "duplicate_keys", "intake", "is_healthy", "stretches"]

T = TypeVar("T")
_FEW = 8  # plain lines between odd ones: fewer are read faster one by one
_GIVE_BACK = 1 << 24  # bytes that are read of a mapped file before its pages are given back
_REFUSALS = (ValueError, RecursionError)  # msgspec's errors and UnicodeDecodeError are ValueErrors


class _Seen(Struct):
    """What is said once a file."""

    first: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    def add(self, kind: str, line: int, offset: int, length: int) -> None:
        self.first.setdefault(kind, (line, offset, length))
        self.counts[kind] = self.counts.get(kind, 0) + 1

    def line_end(self, raw: bytes, line: int, offset: int) -> bytes:
        """The line without the CR of a CR LF."""
        if raw[-1:] != b"\r":
            return raw
        self.add("crlf", line, offset + len(raw) - 1, 2)
        return raw[:-1]

    def rows(self, unit: int, path: str, lines: int) -> list[DamageRow]:
        """`lines`: how many the file has."""
        texts = (
            ("crlf", "line ends in CR LF", "lines end in CR LF"),
            ("not_a_record", "blank line", "blank lines"),
        )
        rows = []
        for kind, one, many in texts:
            if kind in self.first:
                detail = counted(self.counts[kind], one, many)
                if kind == "not_a_record" and self.counts[kind] == lines:
                    detail += " and nothing else"
                rows.append(DamageRow(unit, path, kind, *self.first[kind], detail))
        return rows


def _whole_file(unit: int, path: str, data: memoryview) -> DamageRow | None:
    if not len(data):
        return DamageRow(unit, path, "empty_file", None, 0, 0, "the file has no bytes")
    encoding = foreign_encoding(bytes(data[:HEAD]))
    if encoding is None:
        return None
    detail = f"the file is {encoding}, not UTF-8"
    return DamageRow(unit, path, "unknown_encoding", 1, 0, len(data), detail, fixable=False)


class _Careful(Struct, Generic[T], frozen=True):
    """Reads the lines that the fast decoder refused."""

    unit: int
    path: str
    data: memoryview
    fast: Callable[[bytes], T]
    live: bool
    seen: _Seen
    ahead: LookAhead

    def line(self, number: int, pos: int, raw: bytes, stop: int) -> Line:
        terminated = stop < len(self.data)
        return Line(self.unit, self.path, number, pos, raw, terminated, self.live)

    def read(self, line: Line, stop: int) -> tuple[Verdict[T], int]:
        """The verdict, and where the last line stops that it is about."""
        verdict = examine(line, self.fast)
        if verdict.unfinished and (end := self.ahead.record_stop(line.offset, stop)):
            whole = self._whole(line, end)
            if len(whole.won) == 1 and not whole.lost:
                return whole, end
        return verdict, stop

    def _whole(self, line: Line, end: int) -> Verdict[T]:
        """The verdict on this line and those after it as one record."""
        raw = bytes(self.data[line.offset : end])
        joined = replace(line, raw=raw, count=raw.count(b"\n") + 1, terminated=end < len(self.data))
        return examine(joined, self.fast)


class Healthy(Struct, Generic[T], gc=False):
    """A stretch of whole, plain lines: each is one record, and nothing is to be said of any."""

    line: int  # number of the first, 1-based
    offset: int
    raws: list[bytes]  # with their LF, but for one that is longer than a block
    lengths: list[int]  # without their LF
    values: list[T]
    text: bytes  # all of them in one piece


Stretch = Healthy[T] | Intake[T]


def is_healthy(found: Stretch[T]) -> TypeGuard[Healthy[T]]:
    return type(found) is Healthy


def intake(
    unit: int, path: str, data: memoryview, fast: Callable[[bytes], T], live: bool
) -> Iterator[Intake[T]]:
    """Each record once, in the order stored. Rows ride on the first record of their line."""
    for found in stretches(unit, path, data, fast, live):
        if is_healthy(found):
            yield from _pieces(found)
        else:
            assert isinstance(found, tuple)
            yield found


def stretches(
    unit: int, path: str, data: memoryview, fast: Callable[[bytes], T], live: bool
) -> Iterator[Stretch[T]]:
    """As `intake`, with healthy blocks in one piece: a step a record costs more than decoding."""
    if whole := _whole_file(unit, path, data):
        yield Piece(1, 0, 0, b"", False), None, [whole]
        return
    careful = _Careful(unit, path, data, fast, live, _Seen(), LookAhead(data))
    pos, number, size, kept = 0, 1, len(data), 0
    while pos < size:
        if pos - kept >= _GIVE_BACK:
            give_back(data, kept, pos)
            kept = pos
        block = block_at(data, pos)
        pos, number = yield from _of_block(careful, block, pos, number)
    if rows := careful.seen.rows(unit, path, number - 1):
        number -= data[-1] != 0x0A
        yield Piece(number, size, 0, b"", False), None, rows


def _of_block(
    careful: _Careful[T], block: Block, pos: int, number: int
) -> Generator[Stretch[T], None, tuple[int, int]]:
    """The records of a block; returns how far it was read. What stands between odd lines stays in
    one piece."""
    doubts, lines, start, at = doubts_of(block), block.lines, pos, 0
    fast, rest = doubts.checked(careful.fast), iter(lines)
    while at < len(lines):
        values: list[T] = []
        if block.terminated:
            with suppress(*_REFUSALS):
                values.extend(map(fast, rest))  # those before a refusal stay
        if many := len(values):
            raws, lengths, text = lines, block.lengths, block.text
            if many < len(lines):
                raws, lengths = lines[at : at + many], lengths[at : at + many]
                text = text[pos - start : pos - start + sum(lengths) + many]
            plain = Healthy(number, pos, raws, lengths, values, text)
            if many >= _FEW or many == len(lines):
                yield plain
            else:
                yield from _pieces(plain)
            pos, number, at = pos + sum(lengths) + many, number + many, at + many
        if at < len(lines):
            pos, lines_read = yield from _odd(careful, lines[at], doubts, pos, number)
            number, at = number + lines_read, at + 1
            if lines_read > 1:
                break  # some of the block's other lines are read too
    return pos, number


def _pieces(found: Healthy[T]) -> Iterator[Intake[T]]:
    offset = found.offset
    for line, (raw, value) in enumerate(zip(found.raws, found.values, strict=True), found.line):
        text = raw.removesuffix(b"\n")
        yield Piece(line, offset, len(text), text, False), value, []
        offset += len(text) + 1


def _odd(
    careful: _Careful[T], whole: bytes, doubts: Doubts, pos: int, number: int
) -> Generator[Intake[T], None, tuple[int, int]]:
    """The records of a line that is not plain; returns how far it was read, and lines."""
    stored = whole.removesuffix(b"\n")
    stop = pos + len(stored)
    raw = careful.seen.line_end(stored, number, pos) if doubts.returns else stored
    try:
        doubts.check(raw)
        value = careful.fast(raw)
    except _REFUSALS:
        if not raw.strip(b" \t\r"):
            careful.seen.add("not_a_record", number, pos, len(raw))
            return stop + 1, 1
        verdict, stop = careful.read(careful.line(number, pos, raw, stop), stop)
        yield from verdict.tuples()
        return stop + 1, verdict.line.count
    rows = []
    if stop == len(careful.data):
        rows.append(no_final_newline(careful.line(number, pos, raw, stop)))
    yield Piece(number, pos, len(raw), raw, False), value, rows
    return stop + 1, 1
