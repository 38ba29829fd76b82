"""Turns and requests: what a prompt set off, and what each answer cost."""

from collections.abc import Iterable
from typing import Any

from suture.model.rows import StepRow, TurnRow
from suture.stores.claude_code.lines import Line, Usage
from suture.stores.claude_code.view import Entry, Transcript


class Steps:
    """Collects while the lines go by; the main lane only."""

    def __init__(self, found: Transcript) -> None:
        self._found = found
        self._open: dict[str, list[Any]] = {}  # message id → the values of its row

    def add(self, entry: Entry, line: Line) -> None:
        if entry.lane != "main" or not entry.chained:
            return
        turns = self._found.turns
        if line.type == "assistant":
            self._request(entry, line)
        elif entry.kind == "prompt":
            turn, session = len(turns), self._found.session
            turns.append(TurnRow(session, turn, line.prompt_id, entry.n, None, "open", entry.time))
        if turns and entry.kind in ("reply", "abort"):
            status = "aborted" if entry.kind == "abort" else "complete"
            turns[-1] = turns[-1]._replace(status=status, end_n=entry.n, ended=entry.time)

    def _request(self, entry: Entry, line: Line) -> None:
        message = line.message
        if message is None or message.id is None or line.is_api_error_message:
            return
        if message.model is not None and message.model != "<synthetic>":
            self._found.model = message.model
        usage = message.usage or _NO_USAGE
        tokens = (
            usage.input_tokens,
            usage.cache_read_input_tokens,
            usage.cache_creation_input_tokens,
            usage.output_tokens,
        )
        row = self._open.get(message.id)
        if row is None:
            turn = len(self._found.turns) - 1 if self._found.turns else None
            row = [self._found.session, len(self._open), message.id, turn, entry.n, entry.n]
            row += [message.stop_reason, message.model, *tokens]
            self._open[message.id] = row
            return
        row[_LAST] = entry.n
        row[_STATUS] = message.stop_reason or row[_STATUS]
        # Lines of one response repeat its usage; early ones may carry a placeholder.
        if tokens != tuple(row[_TOKENS:]) and _sum(tokens) > _sum(row[_TOKENS:]):
            row[_TOKENS:] = tokens

    def rows(self) -> list[StepRow]:
        made = []
        while self._open:
            made.append(StepRow(*self._open.popitem()[1]))
        return made[::-1]


_LAST, _STATUS, _TOKENS = (
    StepRow._fields.index(name) for name in ("last_n", "status", "input_tokens")
)
_NO_USAGE = Usage()


def _sum(tokens: Iterable[int | None]) -> int:
    return sum(filter(None, tokens))
