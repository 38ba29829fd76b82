"""Compactions: a request in a user message, a summary in the reply to it."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from suture.stores.opencode.stored import Item, Message, Stored
from suture.stores.opencode.values import at, string


class Compaction(Struct, frozen=True):
    asked: Message
    part: Item  # of type `compaction`
    summary: Message | None

    @property
    def tail(self) -> str | None:
        return string(at(self.part.body, "tail_start_id"))

    @property
    def good(self) -> bool:
        """The client cuts the history at it, and the summary stands for what was cut."""
        body = self.summary.body if self.summary else None
        return at(body, "finish") is not None and at(body, "error") is None

    @property
    def closed(self) -> bool:
        """It failed, and nothing waits for it any more."""
        body = self.summary.body if self.summary else None
        return (
            at(body, "finish") is not None and at(body, "error") is not None and self.tail is None
        )

    @property
    def error(self) -> str | None:
        return string(at(self.summary.body, "error", "name")) if self.summary else None

    @property
    def cuts_all_the_same(self) -> bool:
        """The client cuts the history at a summary that failed, or that has an error and an end."""
        ended = self.error != "MessageAbortedError" or (
            self.summary is not None and at(self.summary.body, "finish") is not None
        )
        return self.error is not None and self.tail is not None and ended

    @property
    def has_text(self) -> bool:
        return self.summary is not None and any(
            at(part.body, "type") == "text" and bool(at(part.body, "text"))
            for part in self.summary.parts
        )


def first_sent(stored: Stored, asked: Sequence[Compaction]) -> Message | None:
    """Where the newest compaction that cuts the history lets it begin: with what it kept, else with
    itself. None: nothing is cut off, as where the first that it kept is absent."""
    cut = next((one for one in reversed(asked) if one.good or one.cuts_all_the_same), None)
    if cut is None:
        return None
    before = list(stored.messages)
    before = before[: before.index(cut.asked)]
    if at(cut.part.body, "tail_start_id") is None:
        return cut.asked
    return next((message for message in before if message.id == cut.tail), None)


def compactions(stored: Stored) -> Iterator[Compaction]:
    summaries = {
        parent: message
        for message in stored.messages
        if at(message.body, "summary") is True
        and (parent := string(at(message.body, "parentID"))) is not None
    }
    for message in stored.messages:
        part = next((p for p in message.parts if p.type == "compaction"), None)
        if part is not None:
            yield Compaction(message, part, summaries.get(message.id))
