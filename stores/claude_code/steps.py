"""Turns and requests: what a prompt set off, and what each answer cost."""

from msgspec import Struct

from suture.stores._packed import Packed
from suture.stores.claude_code.holders import Holders
from suture.stores.claude_code.lines import Line, Message, Usage
from suture.stores.claude_code.requests import Requests

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
        self._at = Holders()  # id of a message → its place among the requests
        self._stated = _NO_USAGE  # by the line before

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
        at = self._at.recent.get(message.id)
        if at is None and (at := self._at.get(message.id)) is None:
            self._open(n, message, usage)
            return
        # Lines of one response repeat its usage.
        changed = None if usage == self._stated else usage
        self._stated = usage
        self.requests.go_on(at, n, message.stop_reason, changed)

    def _open(self, n: int, message: Message, usage: Usage) -> None:
        assert message.id is not None
        self._at.recent[message.id] = len(self.requests)
        self._stated = usage
        model = message.model
        if model is not None and model not in (self.model, "<synthetic>"):
            self.model = model
        self.requests.open(
            message.id,
            len(self.turns) - 1,
            n,
            message.stop_reason,
            self.model if model == self.model else model,
            usage,
        )

    def settle(self) -> None:
        """Call now and then, while a file is read."""
        self._at.settle()
        self.turns.settle()
        self.requests.settle()

    def close(self) -> None:
        """When all is read."""
        self._at = Holders()
