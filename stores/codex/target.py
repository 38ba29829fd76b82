"""A rollout that is to be edited: its records, its bytes, and what points into it."""

import json
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

from msgspec.structs import replace

from suture.model.edit import SpanEdit
from suture.model.errors import Unsupported
from suture.model.files import Files, remembered
from suture.model.place import Place, Row
from suture.model.unit import Unit
from suture.stores._json_span import span
from suture.stores._store import Translated
from suture.stores.codex.beside import data_of
from suture.stores.codex.calls import Call
from suture.stores.codex.home import home_of
from suture.stores.codex.lineage import referring
from suture.stores.codex.names import rollout_name
from suture.stores.codex.records import Record
from suture.stores.codex.rollout import Rollout
from suture.stores.codex.scan import read_rollout

BOM = b"\xef\xbb\xbf"
# As Codex writes a record. Members that repeat count where they stand last.
_HEAD = re.compile(rb'\{"timestamp":"[^"\\]*","ordinal":(0|[1-9][0-9]*)[,}]')
_ORDINAL = re.compile(rb'"ordinal"\s*:\s*(\d{1,19})')


class Target:
    def __init__(self, rollout: Rollout, files: Files) -> None:
        self.rollout = rollout
        self.path = rollout.path
        self.data = rollout.data
        self.records = rollout.records
        self.paginated = rollout.paginated
        self._files = files

    @cached_property
    def referenced(self) -> int:
        """Bytes from the start that another rollout uses as its own history."""
        ends = (link.base_end or 0 for link in referring(self.path, self._files))
        return max(ends, default=0)

    @cached_property
    def ordinals(self) -> Counter[int]:
        return Counter(ordinal for ordinal in self.stated if ordinal is not None)

    @cached_property
    def stated(self) -> Sequence[int | None]:
        """The ordinal of each record."""
        return list(self.records.all_of("ordinal"))

    @cached_property
    def offsets(self) -> Sequence[int]:
        return list(self.records.all_of("offset"))

    @cached_property
    def _lengths(self) -> Sequence[int]:
        return list(self.records.all_of("length"))

    @cached_property
    def highest(self) -> int:
        return max(self.ordinals, default=-1)

    @cached_property
    def newest(self) -> Mapping[str, int]:
        """n of the last record of each type."""
        return {name: n for n, name in enumerate(self.records.all_of("type"))}

    @cached_property
    def calls(self) -> Mapping[tuple[int, int, str], Call]:
        """By record, part and id; of several the first."""
        return {(c.n, c.part, c.call_id): c for c in reversed(list(self.rollout.calls))}

    @cached_property
    def call_ids(self) -> frozenset[str]:
        return frozenset(call.call_id for call in self.rollout.calls)

    @cached_property
    def responses(self) -> Mapping[str | None, Sequence[int]]:
        """n of the records of each."""
        found: dict[str | None, list[int]] = {}
        for n, group in enumerate(self.records.all_of("group")):
            if group is not None:
                found.setdefault(group, []).append(n)
        return found

    def before(self, offset: int) -> Iterator[Record]:
        """The records that start before a byte, last first."""
        at = bisect_left(self.offsets, offset)
        return (self.records[n] for n in range(at - 1, -1, -1))

    def record(self, n: int) -> Record:
        if not 0 <= n < len(self.records):
            raise Unsupported(f"{self.path} has no record {n}")
        return self.records[n]

    def raw(self, record: Record) -> bytes:
        return self.rollout.raw(record)

    def ordinal_span(self, n: int) -> tuple[int, int] | None:
        """Where in the file the ordinal of a record stands."""
        offset = self.offsets[n]
        raw = bytes(self.data[offset : offset + self._lengths[n]])
        head = _HEAD.match(raw)
        found: tuple[int, int] | None
        if head is None or _may_repeat(raw, head.end()):
            found = span(raw, ("ordinal",))
        else:
            found = head.span(1)
        return None if found is None else (offset + found[0], offset + found[1])

    def value(self, record: Record) -> dict[str, Any]:
        """The record as JSON."""
        try:
            value = json.loads(self.raw(record))
        except (ValueError, RecursionError) as error:
            raise Unsupported(f"record {record.n} cannot be read as JSON") from error
        if not isinstance(value, dict):
            raise Unsupported(f"record {record.n} is no JSON object")
        return value

    def after_line(self, record: Record) -> int:
        """Where the next line starts."""
        end = record.offset + record.length
        for at in range(end, min(end + 2, len(self.data))):
            if self.data[at] == 0x0A:
                return at + 1
        return end

    def moves(self, offset: int) -> None:
        """Bytes from `offset` on are about to move: refuse when that breaks another rollout."""
        if self.paginated and offset < self.referenced:
            raise Unsupported(
                "another rollout continues from a byte offset of this file beyond the edit, "
                "and no edit of the same length is possible"
            )

    @property
    def may_be_shared(self) -> bool:
        """Whether others point at its bytes, or may: then a moved byte is refused, or doubted."""
        return self.referenced > 0 or self._may_lie_in_a_home

    @cached_property
    def _may_lie_in_a_home(self) -> bool:
        """It is a copy under a name that a home may hold."""
        named = rollout_name(self.path) is not None
        return self.paginated and named and home_of(self.path) is None

    def is_shifted_by(self, edit: SpanEdit) -> bool:
        """Whether bytes move in a file that a home may hold under this name."""
        if not self._may_lie_in_a_home:
            return False
        if self.is_bom(edit):
            return False
        size = sum(len(part) if isinstance(part, bytes) else part.length for part in edit.after)
        return size != edit.length and edit.offset + edit.length < len(self.data)

    def is_bom(self, edit: SpanEdit) -> bool:
        """No client writes one: without it the offsets that the client counted fit again."""
        return edit.offset == 0 and bytes(self.data[: edit.length]) == BOM and not edit.after

    def same_length(self, offset: int, length: int, after: bytes) -> SpanEdit:
        assert len(after) == length
        return SpanEdit(self.path, offset, length, (after,))

    def line_ordinal(self, offset: int, length: int) -> int | None:
        """The ordinal that a line states, even one that does not parse."""
        found = _ORDINAL.search(bytes(self.data[offset : offset + length]))
        return int(found[1]) if found else None


def _may_repeat(raw: bytes, start: int) -> bool:
    """Whether the ordinal may stand behind `start` again, even with a letter of it escaped."""
    return raw.find(b'ordinal"', start) >= 0 or raw.find(b"\\u00", start) >= 0


_DOUBT = (
    "it moves bytes, and the Codex home that this copy was taken from may point at them: "
    "repair it there, or take the step if no home uses this copy"
)


class Targets:
    """The rollouts of a unit, each read once, by session key or by path."""

    def __init__(self, unit: Unit, files: Files) -> None:
        self._unit = unit
        self._files = files
        self._found: dict[str, Target] = {}
        self._paths: list[str] | None = None

    def session(self, key: int) -> Target:
        number = key - (self._unit.index << 32)
        paths = self._readable()
        if not 0 <= number < len(paths):
            raise Unsupported(f"{self._unit.id} has no session {number}")
        return self._target(paths[number])

    def place(self, place: Place) -> Target:
        if isinstance(place, Row):
            raise Unsupported("a rollout has no rows")
        return self._target(place.path)

    def doubted(self, made: Translated) -> Translated:
        """In a copy of a rollout nobody knows what points into it."""
        spans = [edit for edit in made.edits if isinstance(edit, SpanEdit)]
        if any(self._found[edit.path].is_shifted_by(edit) for edit in spans):
            return replace(made, doubt=_DOUBT)
        return made

    def _readable(self) -> list[str]:
        """Session keys number the files that could be read."""
        if self._paths is None:
            self._paths = [
                path for path in self._unit.paths if data_of(path, self._files) is not None
            ]
        return self._paths

    def _target(self, path: str) -> Target:
        if path not in self._found:
            data = data_of(path, self._files)
            if data is None:
                raise Unsupported(f"{path} cannot be read")
            read = partial(read_rollout, self._unit.index, path, data)
            rollout = remembered(self._files.memory, path, read, lambda made: len(made.records))
            self._found[path] = Target(rollout, self._files)
        return self._found[path]
