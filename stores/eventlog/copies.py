"""Which events repeat an earlier one, and which only share its id."""

from suture.stores.eventlog.lines import Event
from suture.stores.eventlog.payloads import MessageAppended


class Copies:
    def __init__(self) -> None:
        self._by_id: dict[str, tuple[int, int, str | None]] = {}
        self._by_fact: dict[int, int] = {}
        self._by_message: dict[int, int] = {}

    def of(self, n: int, event: Event, line: int, payload: str | None) -> tuple[str, int] | None:
        """(copy kind or `same_id`, n of the earlier). `line` and `payload` stand for the bytes."""
        found = self._same_id(n, event, line, payload)
        if payload is None:
            return found
        fact = self._by_fact.setdefault(hash((event.ts, event.type, payload)), n)
        if found is None and fact != n and event.ts is not None:
            found = ("event", fact)
        if isinstance(event.payload, MessageAppended):
            first = self._by_message.setdefault(hash((event.payload.message_id, payload)), n)
            if found is None and first != n:
                found = ("retry", first)
        return found

    def _same_id(
        self, n: int, event: Event, line: int, payload: str | None
    ) -> tuple[str, int] | None:
        if event.id is None:
            return None
        earlier, bytes_, digest = self._by_id.setdefault(event.id, (n, line, payload))
        if earlier == n:
            return None
        if bytes_ == line:
            return "identical", earlier
        return ("event" if digest == payload and payload is not None else "same_id"), earlier
