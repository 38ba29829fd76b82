"""Turns and requests: what a prompt set off, and what each answer cost."""

from collections.abc import Iterable
from sys import intern

from msgspec import Raw, Struct

from suture.stores._packed import Packed
from suture.stores.claude_code.holders import Holders
from suture.stores.claude_code.lines import Block, Line, Message, Usage
from suture.stores.claude_code.requests import Request, Requests

_NO_USAGE = Usage()


class Turn(Struct, gc=False):
    id: str | None
    start_n: int
    end_n: int | None = None
    status: str = "open"


class Steps:
    """Collects while the lines of the main lane go by."""

    def __init__(self) -> None:
        self.turns = Packed(Turn)
        self.requests = Requests()
        self.model: str | None = None
        self.again: list[int] = []  # lines of a response that repeat the text before them
        self._at = Holders()  # id of a message → its place among the requests
        self._stated = _NO_USAGE  # by the line before
        self._said: str | list[Block] | None = None  # by the last reply
        self._said_by: str | None = None  # id of its message, if no call came behind it

    def take(self, links: Iterable[tuple[int, Line, str]]) -> None:
        """n and kind with each line of the main lane, in their order."""
        known, older, requests = self._at.recent.get, self._at.get_older, self.requests
        said = self._said_by
        for n, line, kind in links:
            if line.type == "assistant":
                message = line.message
                if message is not None and message.id is not None and not line.is_api_error_message:
                    at = known(message.id)
                    usage = message.usage or _NO_USAGE
                    if at is None and (at := older(message.id)) is None:
                        self._open(n, message, usage)
                    else:  # lines of one response repeat its usage
                        changed = None if usage == self._stated else usage
                        requests.go_on(at, n, message.stop_reason, changed)
                        if kind == "reply" and message.id == said and self._says_again(message):
                            self.again.append(n)
                    self._stated = usage
                if kind == "reply":
                    self._end(n, "complete")
                    if message is not None:
                        said, self._said = message.id, message.content
                elif kind == "call":  # what was said before it was not the end
                    self._end(None, "open")
                    said = None
            elif kind == "prompt":
                self.turns.append(Turn(line.prompt_id, n))
            elif kind == "abort":
                self._end(n, "aborted")
        self._said_by = said

    def _says_again(self, message: Message) -> bool:
        """No response has two equal texts in a row: the line was stored again."""
        match self._said, message.content:
            case [Block(text=Raw() as one)], [Block(text=Raw() as other)]:
                return memoryview(one) == memoryview(other)
        return False

    def _end(self, n: int | None, status: str) -> None:
        if (turn := self.turns.last) is not None:
            turn.end_n, turn.status = n, status

    def _open(self, n: int, message: Message, usage: Usage) -> None:
        assert message.id is not None
        self._at.recent[message.id] = len(self.requests)
        model = message.model
        if model is not None and model not in (self.model, "<synthetic>"):
            self.model = model
        self.requests.open(
            Request(
                message.id,
                len(self.turns) - 1,
                n,
                n,
                message.stop_reason and intern(message.stop_reason),
                self.model if model == self.model else model,
                usage,
            )
        )

    def settle(self) -> None:
        """Call now and then, while a file is read."""
        self._at.settle()
        self.turns.settle()
        self.requests.settle()

    def close(self) -> None:
        """When all is read."""
        self._at, self._said = Holders(), None
