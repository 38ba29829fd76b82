"""The requests to the model, column by column: the latest in lists, those before in Arrow."""

from array import array
from collections.abc import Iterator
from sys import intern
from typing import Any

import pyarrow as pa
from msgspec import Struct

from suture.stores._sink import column
from suture.stores._spill import Spill

NONE = -1  # in place of a number that is not stated
_SOME = 1 << 14  # requests: bounds the lists between here and Arrow
_TOKENS = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")

Tokens = tuple[int, ...]


class _Late(Struct, gc=False):
    """What was said of a request when it was in Arrow."""

    last_n: int
    status: str | None
    tokens: Tokens


class Requests:
    def __init__(self) -> None:
        self._id: list[str] = []
        self._turn, self._first, self._last = array("i"), array("i"), array("i")
        self._status: list[str | None] = []
        self._model: list[str | None] = []
        self._tokens = tuple(array("q") for _ in _TOKENS)
        self._chunks: list[dict[str, pa.Array]] = []
        self._before = 0  # requests in the chunks
        self._late: dict[int, _Late] = {}
        self._spill = Spill()

    def __len__(self) -> int:
        return self._before + len(self._id)

    def open(
        self, id: str, turn: int, n: int, status: str | None, model: str | None, tokens: Tokens
    ) -> None:
        self._id.append(id)
        self._turn.append(turn)
        self._first.append(n)
        self._last.append(n)
        self._status.append(status and intern(status))
        self._model.append(model)
        for numbers, value in zip(self._tokens, tokens, strict=True):
            numbers.append(value)

    def go_on(self, at: int, n: int, status: str | None, tokens: Tokens | None) -> None:
        """A line more of the same response. Early ones may carry a placeholder of its usage."""
        if at < self._before:
            self._go_on_late(at, n, status, tokens)
            return
        at -= self._before
        self._last[at] = n
        if status:
            self._status[at] = intern(status)
        if tokens and _sum(tokens) > _sum(tuple([numbers[at] for numbers in self._tokens])):
            for numbers, value in zip(self._tokens, tokens, strict=True):
                numbers[at] = value

    def _go_on_late(self, at: int, n: int, status: str | None, tokens: Tokens | None) -> None:
        late = self._late.get(at)
        if late is None:
            chunk, place = self._chunks[at // _SOME], at % _SOME
            known = [chunk[name][place].as_py() for name in _TOKENS]
            found = tuple(NONE if value is None else value for value in known)
            late = self._late[at] = _Late(n, chunk["status"][place].as_py(), found)
        late.last_n, late.status = n, status or late.status
        if tokens and _sum(tokens) > _sum(late.tokens):
            late.tokens = tokens

    def settle(self) -> None:
        """Call now and then, while a file is read. A response that goes on is among the latest."""
        while len(self._id) >= 2 * _SOME:
            self._chunks.append(self._spill.keep(self._cut(_SOME)))
            self._before += _SOME

    def _cut(self, count: int) -> dict[str, pa.Array]:
        texts: dict[str, list[Any]] = {
            "id": self._id,
            "status": self._status,
            "model": self._model,
        }
        numbers = {"turn": self._turn, "first_n": self._first, "last_n": self._last}
        numbers |= zip(_TOKENS, self._tokens, strict=True)
        cut = {name: column(values[:count], pa.string()) for name, values in texts.items()}
        for name, values in numbers.items():
            cut[name] = pa.array(_known(values[:count]), pa.int64())
        for some in (*texts.values(), *numbers.values()):
            del some[:count]
        return cut

    def parts(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Of the table of steps, and how many there are; they are gone then."""
        first, rest = 0, len(self._id)
        chunks = [*self._chunks, *([self._cut(rest)] if rest else [])]
        self._chunks = []
        for chunk in chunks:
            count = len(chunk["id"])
            columns: dict[str, Any] = dict(chunk)
            for at in [at for at in self._late if first <= at < first + count]:
                _change(columns, at - first, self._late.pop(at))
            yield count, columns | {"step": pa.array(range(first, first + count), pa.int64())}
            self._spill.give_back()
            first += count


def _change(columns: dict[str, Any], at: int, late: _Late) -> None:
    changed = {"last_n": late.last_n, "status": late.status}
    changed |= zip(_TOKENS, _known(late.tokens), strict=True)
    for name, value in changed.items():
        if not isinstance(columns[name], list):
            columns[name] = columns[name].to_pylist()
        columns[name][at] = value


def _sum(tokens: Tokens) -> int:
    return sum([number for number in tokens if number != NONE])


def _known(numbers: "array[int] | Tokens") -> list[int | None]:
    return [None if number == NONE else number for number in numbers]
