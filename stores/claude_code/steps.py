"""Turns and requests: what a prompt set off, and what each answer cost."""

from array import array
from collections.abc import Callable, Iterator, Sequence
from sys import intern
from typing import Any

from msgspec import Struct

from suture.stores._packed import Packed
from suture.stores.claude_code.holders import Holders
from suture.stores.claude_code.lines import Count, Line, Message, Usage, whole

_NONE = -1  # in place of a number that is not stated
_SOME = 1 << 14  # steps: bounds the lists between here and Arrow
_TOKENS = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")


class Turn(Struct, gc=False):
    id: str | None
    start_n: int
    end_n: int | None = None
    status: str = "open"


class Steps:
    """Collects while the lines of the main lane go by. A request is kept in columns."""

    def __init__(self) -> None:
        self.turns = Packed(Turn)
        self.model: str | None = None
        self._at = Holders()  # id of a message → its place in the columns
        self._turn, self._first, self._last = array("i"), array("i"), array("i")
        self._status: list[str | None] = []
        self._model: list[str | None] = []
        self._stated: tuple[Count, ...] = ()  # by the line before
        self._tokens = tuple(array("q") for _ in _TOKENS)

    def prompt(self, n: int, line: Line) -> None:
        self.turns.append(Turn(line.prompt_id, n))

    def end(self, n: int, status: str) -> None:
        if (turn := self.turns.last) is not None:
            turn.end_n, turn.status = n, status

    def reply(self, n: int, line: Line, kind: str) -> None:
        self._request(n, line)
        if kind == "reply":
            self.end(n, "complete")

    def _request(self, n: int, line: Line) -> None:
        message = line.message
        if message is None or message.id is None or line.is_api_error_message:
            return
        usage = message.usage or _NO_USAGE
        tokens = (
            usage.input_tokens,
            usage.cache_read_input_tokens,
            usage.cache_creation_input_tokens,
            usage.output_tokens,
        )
        at = self._at.get(message.id)
        if at is None:
            self._open(n, message, tokens)
            return
        self._last[at] = n
        if message.stop_reason:
            self._status[at] = intern(message.stop_reason)
        # Lines of one response repeat its usage; early ones may carry a placeholder.
        if tokens != self._stated:
            self._stated = tokens
            numbers = _numbers(tokens)
            if _sum(numbers) > _sum(tuple(column[at] for column in self._tokens)):
                for column, value in zip(self._tokens, numbers, strict=True):
                    column[at] = value

    def _open(self, n: int, message: Message, tokens: tuple[Count, ...]) -> None:
        assert message.id is not None
        self._at[message.id] = len(self._last)
        self._stated = tokens
        self._turn.append(len(self.turns) - 1)
        self._first.append(n)
        self._last.append(n)
        self._status.append(message.stop_reason and intern(message.stop_reason))
        model = message.model
        if model is not None and model not in (self.model, "<synthetic>"):
            self.model = model
        self._model.append(self.model if model == self.model else model)
        for column, value in zip(self._tokens, _numbers(tokens), strict=True):
            column.append(value)

    def settle(self) -> None:
        """Call now and then, while a file is read."""
        self._at.settle()

    def parts(
        self, ids: Callable[[Sequence[int]], list[str]]
    ) -> Iterator[tuple[int, dict[str, Any]]]:
        """Of the table of steps, and how many there are; none can be added then. `ids`: what
        records name as theirs."""
        self._at = Holders()
        for start in range(0, len(self._last), _SOME):
            some = slice(start, start + _SOME)
            first_n, numbers = self._first[some].tolist(), zip(_TOKENS, self._tokens, strict=True)
            yield (
                len(first_n),
                {
                    "step": list(range(start, start + len(first_n))),
                    "id": ids(first_n),
                    "turn": _known(self._turn[some]),
                    "first_n": first_n,
                    "last_n": self._last[some].tolist(),
                    "status": self._status[some],
                    "model": self._model[some],
                    **{name: _known(column[some]) for name, column in numbers},
                },
            )


_NO_USAGE = Usage()


def _numbers(tokens: tuple[Count, ...]) -> tuple[int, ...]:
    return tuple([_NONE if (known := whole(n)) is None else known for n in tokens])


def _sum(tokens: tuple[int, ...]) -> int:
    return sum([number for number in tokens if number != _NONE])


def _known(column: "array[int]") -> list[int | None]:
    return [None if number == _NONE else number for number in column]
