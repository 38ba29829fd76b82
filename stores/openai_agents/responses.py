"""Which items came in one response of the model: calls of it are one batch."""

from collections.abc import Sequence

from suture.stores.openai_agents.items import Item

LONE = "no message or call follows the reasoning"


class Responses:
    """Neighbours in a lane that the model wrote, up to the next item that it did not write.

    Words come before the calls of a response, so those behind a call begin the next one.
    """

    def __init__(self, items: Sequence[Item], lanes: Sequence[str]) -> None:
        self.callers = {one.caller for one in items if one.caller is not None}
        self._names: list[str | None] = [None] * len(items)
        self._lone: set[int] = set()
        current: dict[str, int] = {}
        last: dict[str, str] = {}
        waiting: dict[str, list[int]] = {}
        for n, (one, lane) in enumerate(zip(items, lanes, strict=True)):
            if not one.value:
                continue  # a row that cannot be read is left out
            if not one.from_model or (one.kind == "reply" and last.get(lane) == "call"):
                current.pop(lane, None)
            if one.from_model:
                self._names[n] = str(current.setdefault(lane, n))
            last[lane] = one.kind
            if one.kind == "reasoning":
                waiting.setdefault(lane, []).append(n)
            else:
                before = waiting.pop(lane, [])
                if not one.from_model:
                    self._lone.update(before)
        for before in waiting.values():
            self._lone.update(before)

    def name(self, n: int) -> str | None:
        return self._names[n]

    def lone(self, n: int) -> bool:
        """A reasoning item without the item that it led to: the provider refuses it."""
        return n in self._lone
