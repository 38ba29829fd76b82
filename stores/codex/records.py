"""What is kept of each record of a rollout while the file is read."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, overload

import pyarrow as pa
from msgspec import Struct, field

from suture.stores._arrow import call_function, cast
from suture.stores._columns import RecordColumns, encoded, listed
from suture.stores._entries import Entries
from suture.stores._repeated import repeated, twice
from suture.stores._sink import column
from suture.stores.codex.clock import micros
from suture.stores.codex.header import MODE
from suture.stores.codex.lines import Payload
from suture.stores.codex.type_columns import type_columns

SKIPPED = "; a client skips the line"
SNAPSHOT = ("payload", "replacement_history")  # of a compaction
BESIDE = ("payload", "replacement_history_metadata")  # one for each item, from 0.171 on
_PICK = 1 << 13
_ZERO = pa.scalar(0, pa.int64())
_SPREAD = pa.scalar(0x9E3779B1, pa.int64())  # odd: times are multiples of 1000


class Record(Struct, gc=False):
    n: int
    kind: str
    type: str
    line: int
    offset: int
    length: int
    id: str | None
    ordinal: int | None
    time: int | None
    group: str | None
    turn: str | None
    recovered: bool
    sent: bool


def size(length: int, ordinal: int | None) -> int:
    """Without the ordinal's digits: a record that was written again has others."""
    return length if ordinal is None else length - len(str(ordinal))


class Records(RecordColumns, Sequence[Record]):
    texts = ("id", "group", "turn")
    few = ("group", "turn")
    numbers = ("line", "offset", "length", "ordinal")

    def __init__(self) -> None:
        super().__init__()
        self.codes = bytearray()  # places in `vocabulary.TYPES`
        self.unknown: dict[int, str] = {}  # types that are not in there
        self.ordinal: list[int | None] = []
        self.turn: list[str | None] = []
        self.status: dict[int, str] = {}
        self.problems: dict[int, tuple[str, str]] = {}
        self.left_out: set[int] = set()  # n of what no client sends, and no problem says so
        self.lost: set[int] = set()  # n of what would be sent, did a client read it
        self.sent = bytearray()  # for each 1 if it reaches the model; set when all is read

    def time_of(self, stamp: str) -> int | None:
        return micros(stamp)

    def __iter__(self) -> Iterator[Record]:
        return iter(self._entries())

    @overload
    def __getitem__(self, at: int) -> Record: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Record]: ...
    def __getitem__(self, at: int | slice) -> Record | Sequence[Record]:
        if isinstance(at, slice):
            return [self._looked_at[n] for n in range(*at.indices(len(self)))]
        if not -len(self) <= at < len(self):
            raise IndexError(at)
        return self._looked_at[at % len(self)]

    def note(self, n: int, problem: str, detail: str) -> None:
        self.problems.setdefault(n, (problem, detail))

    def skip(self, n: int, why: str) -> None:
        """A client leaves it out; what was told of it before may be harmless."""
        problem, told = self.problems.get(n, ("shape", ""))
        if problem == "shape" and not told.endswith(SKIPPED):
            self.problems[n] = (problem, f"{told}; {why}{SKIPPED}" if told else why + SKIPPED)
        self.left_out.add(n)

    def regroup(self, n: int, group: str) -> None:
        """While the file is read: what follows may tell where a response ended."""
        at = n - self._before
        if at >= 0:
            self.group[at] = group
            return
        for chunk in reversed(self._chunks):
            at += len(chunk["group"])
            if at >= 0:
                groups = listed(chunk["group"])
                groups[at] = group
                chunk["group"] = encoded(column(groups, pa.string()))
                return

    def more(self, chunk: Mapping[str, pa.Array]) -> dict[str, pa.Array]:
        ids = [None if id is None else hash(id) for id in self.id]
        types = type_columns(self.codes, self._before, self.unknown)
        return {name: self._array(name, values) for name, values in types.items()} | {
            "look": _looks(chunk["time"], chunk["length"], chunk["ordinal"]),
            "id_hash": column(ids, pa.int64()),
        }

    def _keep_lists(self) -> None:
        self._look_at_ordinals()
        super()._keep_lists()
        self._chunks[0] |= type_columns(self.codes, 0, self.unknown)
        self.codes = bytearray()

    def again(self) -> list[int]:
        """n of the records that may stand in the file before or after, when all is read."""
        self.close()
        if len(self) < 2:
            return []
        if not self.in_lists:
            return sorted({*repeated(self.column("look")), *repeated(self.column("id_hash"))})
        ids, times = listed(self._chunks[0]["id"]), listed(self._chunks[0]["time"])
        same_ids, same_times = twice([id for id in ids if id]), twice(times)
        found = {n for n, id in enumerate(ids) if id in same_ids} if same_ids else set[int]()
        if same_times:
            places = [n for n, time in enumerate(times) if time in same_times]
            sizes = map(size, self.values("length", places), self.values("ordinal", places))
            looks = list(zip(self.values("time", places), sizes, strict=True))
            same = twice(looks)
            found.update(n for n, look in zip(places, looks, strict=True) if look in same)
        return sorted(found)

    def is_skipped(self, n: int) -> bool:
        """As far as it is known while the file is read."""
        if n in self.left_out:
            return True
        return n in self.problems and self.problems[n][1].endswith(SKIPPED)

    @cached_property
    def skipped(self) -> set[int]:
        """n of the records that a client reads over, when all is read."""
        self.close()
        told = self.problems.items()
        return self.left_out | {n for n, (_, detail) in told if detail.endswith(SKIPPED)}

    def _cut(self) -> None:
        self._look_at_ordinals()
        super()._cut()
        self.codes = bytearray()

    def _look_at_ordinals(self) -> None:
        """Codex takes 0 to 2^64 - 1 and skips a line with another one (measured on 0.171)."""
        known = [ordinal for ordinal in self.ordinal if ordinal is not None]
        if known and not 0 <= min(known) <= max(known) < 1 << 63:
            for at, ordinal in enumerate(self.ordinal):
                if ordinal is not None and not 0 <= ordinal < 1 << 63:
                    self._note_ordinal(at, ordinal)

    def _note_ordinal(self, at: int, ordinal: int) -> None:
        n = self._before + at
        if ordinal < 0:
            self.left_out.add(n)
        if abs(ordinal) >= 1 << 63:
            skips = ", more than is counted" if 0 < ordinal < 1 << 64 else SKIPPED
            self.note(n, "shape", f"ordinal is {str(ordinal)[:40]}{skips}")
            self.ordinal[at] = None  # the column has no place for it

    def pick(self, ns: Sequence[int]) -> Iterator[Record]:
        """Some records, in their order: all of them at once would fill the memory."""
        for at in range(0, len(ns), _PICK):
            some = ns[at : at + _PICK]
            rows = zip(*(self.values(name, some) for name in _FIELDS), strict=True)
            for n, row in zip(some, rows, strict=True):
                yield self._record(n, row, sent=False)

    def _record(self, n: int, row: tuple[Any, ...], sent: bool) -> Record:
        return Record(n, *row, n in self.recovered, sent)  # type: ignore[call-arg]  # in order

    @cached_property
    def _looked_at(self) -> Entries[Record]:
        return self._entries()

    def _entries(self) -> Entries[Record]:
        """For edits."""
        return Entries(self, _FIELDS, lambda n, row: self._record(n, row, bool(self.sent[n])))

    def rare_columns(self) -> dict[str, Mapping[int, Any]]:
        return super().rare_columns() | {
            "status": self.status,
            "problem": {n: name for n, (name, _) in self.problems.items()},
            "detail": {n: detail for n, (_, detail) in self.problems.items()},
        }


def _looks(times: pa.Array, lengths: pa.Array, ordinals: pa.Array) -> pa.Array:
    """Numbers that are the same where time and `size` are."""
    if times.null_count:
        times = call_function("coalesce", [times, _ZERO])
    if ordinals.null_count < len(ordinals):
        digits = cast(call_function("binary_length", [cast(ordinals, pa.string())]), pa.int64())
        lengths = call_function("subtract", [lengths, call_function("coalesce", [digits, _ZERO])])
    spread = call_function("multiply", [times, _SPREAD])
    return call_function("add", [spread, lengths])


_FIELDS = ("kind", "type", "line", "offset", "length", "id", "ordinal", "time", "group", "turn")


class Compaction(Struct, gc=False):
    n: int
    kept: int | None
    talk_before: int
    pre_tokens: int | None
    opaque: bool


class Header(Struct):
    """What the session_meta records say; the first one names the thread."""

    n: int | None = None
    payload: Payload = field(default_factory=Payload)
    versions: dict[str, None] = field(default_factory=dict)
    gaps: Mapping[tuple[str, ...], str] = field(default_factory=dict)  # what a client lacks in it

    @property
    def tells_mode(self) -> bool:
        """One that names no mode is legacy (measured on 0.171)."""
        return self.n is not None and MODE not in self.gaps

    @property
    def paginated(self) -> bool:
        return self.payload.history_mode == "paginated" or self.payload.history_base is not None
