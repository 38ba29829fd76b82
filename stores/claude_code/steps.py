"""Turns and requests: what a prompt set off, and what each answer cost."""

from suture.model.rows import StepRow, TurnRow
from suture.stores.claude_code.lines import Line, Usage
from suture.stores.claude_code.view import Entry, Transcript


class Steps:
    """Collects while the lines go by; the main lane only."""

    def __init__(self, found: Transcript) -> None:
        self._found = found
        self._at: dict[str, int] = {}  # message id → step

    def add(self, entry: Entry, line: Line) -> None:
        if entry.lane != "main" or not entry.chained:
            return
        turns = self._found.turns
        if entry.kind == "prompt":
            turn, session = len(turns), self._found.session
            turns.append(TurnRow(session, turn, line.prompt_id, entry.n, None, "open", entry.time))
        elif turns and entry.kind in ("reply", "abort"):
            status = "aborted" if entry.kind == "abort" else "complete"
            turns[-1] = turns[-1]._replace(status=status, end_n=entry.n, ended=entry.time)
        if line.type == "assistant":
            self._request(entry, line)

    def _request(self, entry: Entry, line: Line) -> None:
        message = line.message
        if message is None or message.id is None or line.is_api_error_message:
            return
        if message.model is not None and message.model != "<synthetic>":
            self._found.model = message.model
        steps, turns = self._found.steps, self._found.turns
        index = self._at.get(message.id)
        turn = len(turns) - 1 if turns else None
        usage = message.usage or Usage()
        if index is None:
            self._at[message.id] = len(steps)
            row = (self._found.session, len(steps), message.id, turn, entry.n, entry.n)
            steps.append(StepRow(*row, entry.status, message.model, *_tokens(usage)))
            return
        old = steps[index]
        new = old._replace(last_n=entry.n, status=entry.status or old.status)
        # Lines of one response repeat its usage; early ones may carry a placeholder.
        if _sum(usage) > sum(filter(None, old[8:12])):
            new = StepRow(*new[:8], *_tokens(usage))
        steps[index] = new


def _tokens(usage: Usage) -> tuple[int | None, int | None, int | None, int | None]:
    return (
        usage.input_tokens,
        usage.cache_read_input_tokens,
        usage.cache_creation_input_tokens,
        usage.output_tokens,
    )


def _sum(usage: Usage) -> int:
    return sum(filter(None, _tokens(usage)))
