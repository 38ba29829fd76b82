"""Which records reach the model on resume: the last compaction and what came after it."""

from array import array

from suture.stores.codex.lines import Payload


class History:
    """The model's view while the records of a file go by, as Codex replays them."""

    def __init__(self, paginated: bool) -> None:
        self.paginated = paginated
        self.sent = array("q")  # ascending
        self._prompts = array("q")  # positions in `sent` where a user's turn begins
        self.talk = 0  # prompts and replies so far, compacted or not

    def item(self, n: int, kind: str) -> None:
        if kind == "prompt":
            self._prompts.append(len(self.sent))
        if kind in ("prompt", "reply"):
            self.talk += 1
        self.sent.append(n)

    def header(self) -> None:
        """A paginated rollout begins anew at its last header, a legacy one ignores it."""
        if self.paginated:
            self.sent = array("q")
            self._prompts = array("q")

    def compacted(self, n: int, payload: Payload | None) -> None:
        if payload is None or payload.replacement_history is None:
            kept = [self.sent[at] for at in self._prompts]
            self.sent = array("q", kept)  # prompts and a summary stay
            self._prompts = array("q", range(len(self.sent)))
        else:
            self.sent = array("q")
            self._prompts = array("q")
        self.sent.append(n)

    def rolled_back(self, turns: int) -> None:
        """The last user turns go; paginated rollouts do not take such a record."""
        if self.paginated or turns <= 0 or not self._prompts:
            return
        first = self._prompts[-turns] if turns <= len(self._prompts) else self._prompts[0]
        del self.sent[first:]
        self._prompts = array("q", [at for at in self._prompts if at < first])
