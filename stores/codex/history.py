"""Which records reach the model on resume: the last compaction and what came after it."""

from array import array
from collections.abc import Sequence

from suture.stores.codex.lines import Payload


class History:
    """The model's view while the records of a file go by, as Codex replays them."""

    def __init__(self) -> None:
        self.paginated: bool | None = None  # as the header says
        self.numbered_from: int | None = None  # the first record with an ordinal
        self.sent = bytearray()  # 1 for each record that reaches the model
        self._prompts = array("q")  # where a user's turn begins, of what is sent
        self.talk = 0  # prompts and replies so far, compacted or not

    def look_for_ordinals(self, n: int, ordinals: Sequence[int | None]) -> None:
        """Of the records from `n` on, as long as none has had one."""
        if ordinals.count(None) < len(ordinals):
            self.numbered_from = next(n for n, found in enumerate(ordinals, n) if found is not None)

    def _paginated_at(self, n: int) -> bool:
        if self.paginated is not None:
            return self.paginated
        return self.numbered_from is not None and self.numbered_from <= n

    def message(self, n: int, kind: str) -> None:
        if kind == "prompt":
            self._prompts.append(n)
        if kind != "injected":
            self.talk += 1

    def header(self, n: int) -> None:
        """A paginated rollout begins anew at its last header, a legacy one ignores it."""
        if self._paginated_at(n):
            self._forget(0, n)

    def compacted(self, n: int, payload: Payload | None) -> None:
        kept = self._prompts
        self._forget(0, n)
        if payload is None or payload.replacement_history is None:
            self._prompts = kept  # prompts and a summary stay
            for prompt in kept:
                self.sent[prompt] = 1

    def rolled_back(self, n: int, turns: int) -> None:
        """The last user turns go, of a paginated rollout as well (measured on 0.150 and 0.171)."""
        if turns <= 0 or not self._prompts:
            return
        self._forget(self._prompts[-min(turns, len(self._prompts))], n)

    def _forget(self, first: int, stop: int) -> None:
        self.sent[first:stop] = bytes(stop - first)
        self._prompts = array("q", [at for at in self._prompts if at < first])
