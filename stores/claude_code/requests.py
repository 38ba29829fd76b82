"""The requests to the model, column by column: the latest in lists, those before in Arrow."""

from collections.abc import Iterator, Mapping
from operator import attrgetter
from sys import intern
from typing import Any

import pyarrow as pa
from msgspec import Struct
from msgspec.structs import astuple

from suture.stores._sink import column
from suture.stores._spill import Spill
from suture.stores.claude_code.lines import Count, Usage, whole

_SOME = 1 << 14  # requests: bounds the lists between here and Arrow
_TOKENS = {
    "input_tokens": "input_tokens",
    "cache_read_tokens": "cache_read_input_tokens",
    "cache_write_tokens": "cache_creation_input_tokens",
    "output_tokens": "output_tokens",
}  # column → name in a line
_TYPES = dict.fromkeys(("id", "status", "model"), pa.string()) | dict.fromkeys(
    ("turn", "first_n", "last_n", *_TOKENS), pa.int64()
)
_TOKEN_OF = {to: attrgetter(name) for to, name in _TOKENS.items()}
_COUNTS = {int, type(None)}


class Request(Struct, gc=False):
    id: str
    turn: int
    first_n: int
    last_n: int
    status: str | None
    model: str | None
    usage: Usage


class _Late(Struct, gc=False):
    """What was said of a request when it was in Arrow."""

    last_n: int
    status: str | None
    usage: Usage


class Requests:
    def __init__(self) -> None:
        self._open: list[Request] = []
        self._chunks: list[dict[str, pa.Array]] = []
        self._before = 0  # requests in the chunks
        self._late: dict[int, _Late] = {}
        self._spill = Spill()
        self.open = self._open.append

    def __len__(self) -> int:
        return self._before + len(self._open)

    def go_on(self, at: int, n: int, status: str | None, usage: Usage | None) -> None:
        """A line more of the same response. Early ones may carry a placeholder of its usage."""
        if at < self._before:
            self._go_on_late(at, n, status, usage)
            return
        request = self._open[at - self._before]
        request.last_n = n
        if status:
            request.status = intern(status)
        if usage is not None and _sum(usage) > _sum(request.usage):
            request.usage = usage

    def _go_on_late(self, at: int, n: int, status: str | None, usage: Usage | None) -> None:
        late = self._late.get(at)
        if late is None:
            chunk, place = self._chunks[at // _SOME], at % _SOME
            known = Usage(**{name: chunk[to][place].as_py() for to, name in _TOKENS.items()})
            late = self._late[at] = _Late(n, chunk["status"][place].as_py(), known)
        late.last_n, late.status = n, status or late.status
        if usage is not None and _sum(usage) > _sum(late.usage):
            late.usage = usage

    def settle(self) -> None:
        """Call now and then, while a file is read. A response that goes on is among the latest."""
        while len(self._open) >= 2 * _SOME:
            cut = self._cut(_SOME)
            packed = {name: column(cut[name], kind) for name, kind in _TYPES.items()}
            self._chunks.append(self._spill.keep(packed))
            self._before += _SOME

    def _cut(self, count: int) -> dict[str, list[Any]]:
        some = self._open[:count]
        del self._open[:count]
        *columns, usages = map(list, zip(*map(astuple, some), strict=True))
        cut = dict(zip(Request.__struct_fields__, columns, strict=False))
        return cut | {to: _whole(list(map(of, usages))) for to, of in _TOKEN_OF.items()}

    def parts(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Of the table of steps, and how many there are; they are gone then."""
        first, rest = 0, len(self._open)
        chunks: list[Mapping[str, Any]] = [*self._chunks, *([self._cut(rest)] if rest else [])]
        self._chunks = []
        for chunk in chunks:
            count = len(chunk["id"])
            columns: dict[str, Any] = dict(chunk)
            for at in [at for at in self._late if first <= at < first + count]:
                _change(columns, at - first, self._late.pop(at))
            yield count, columns | {"step": range(first, first + count)}
            self._spill.give_back()
            first += count


def _change(columns: dict[str, Any], at: int, late: _Late) -> None:
    changed = {"last_n": late.last_n, "status": late.status}
    changed |= {to: whole(getattr(late.usage, name)) for to, name in _TOKENS.items()}
    for name, value in changed.items():
        if not isinstance(columns[name], list):
            columns[name] = columns[name].to_pylist()
        columns[name][at] = value


def _sum(usage: Usage) -> int:
    return sum([whole(getattr(usage, name)) or 0 for name in _TOKENS.values()])


def _whole(counts: list[Count]) -> list[int | None]:
    if set(map(type, counts)) <= _COUNTS:
        known = [count for count in counts if count is not None]
        if not known or (min(known) >= 0 and max(known) < 1 << 63):
            return counts  # type: ignore[return-value]  # its types were looked at
    return [whole(count) for count in counts]
