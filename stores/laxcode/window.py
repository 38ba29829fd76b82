"""The context window: what the model is sent, and which raw messages each row stands for."""

from dataclasses import dataclass, field

from suture.model.answer import is_marked
from suture.stores.laxcode.fields import Call, Problem, answered, calls, content, original_seqs
from suture.stores.laxcode.tables import Record, Stored, integer


@dataclass(frozen=True, slots=True)
class Entry:
    row: Record
    version: int | None
    seq: int | None
    originals: list[int]
    calls: list[Call]
    answers: str | None
    problems: list[Problem]

    @property
    def marked(self) -> bool:
        return is_marked(content(self.row))


@dataclass(frozen=True, slots=True)
class Window:
    """The entries of the current version."""

    entries: list[Entry]
    by_original: dict[int, Entry] = field(default_factory=dict)
    call_ids: set[str] = field(default_factory=set)


def entry(stored: Stored, row: Record) -> Entry:
    seqs, bad_seqs = original_seqs(row)
    found, bad_calls = calls(row)
    return Entry(
        row=row,
        version=stored.version_of(row),
        seq=integer(row.get("seq")),
        originals=seqs,
        calls=found,
        answers=answered(row),
        problems=[problem for problem in (bad_seqs, bad_calls) if problem],
    )


def current_window(stored: Stored) -> Window:
    entries = [entry(stored, row) for row in stored.current]
    window = Window(entries)
    for one in entries:
        for seq in one.originals:
            window.by_original.setdefault(seq, one)
        window.call_ids.update(call.id for call in one.calls)
    return window


def is_summary(stored: Stored, one: Entry) -> bool:
    """It covers several originals, or says something else than the one it covers."""
    if len(one.originals) != 1:
        return True
    original = stored.by_seq.get(one.originals[0])
    return original is not None and content(original) != content(one.row)
