"""One session: its history and its windows, and how the rows of the one stand for the other."""

from collections.abc import Callable, Iterator
from functools import cached_property

from suture.model.answer import is_marked
from suture.model.edit import Value
from suture.stores.laxcode.faults import problem_of
from suture.stores.laxcode.fields import Call, Problem, calls, plain_calls
from suture.stores.laxcode.lines import Line, Lines, as_text
from suture.stores.laxcode.shape import Shape
from suture.stores.laxcode.window import Entry, answered, is_annotated, originals, said, whole

Parse = Callable[[Value, str], tuple[list[Call], Problem | None]]


class Session:
    """`exact`: with the stored bytes of each call."""

    def __init__(self, shape: Shape, lines: Lines, exact: bool) -> None:
        self.shape, self.name = shape, lines.name
        self.head, self.raw, self.window = lines.head, lines.raw, lines.window
        self.hashes = lines.hashes
        self.version = self._of_head(shape.version)
        parse: Parse = calls if exact else plain_calls
        column = shape.columns["calls"]
        parsed = [
            ([], None) if line.calls is None else parse(line.calls, column) for line in self.raw
        ]
        self.calls = [found for found, _ in parsed]
        self.odd_calls = [problem for _, problem in parsed]
        self.problems = [
            problem_of(line, odd) for line, odd in zip(self.raw, self.odd_calls, strict=True)
        ]
        if any(self.problems):
            self.raw = [as_text(line) for line in self.raw]
            self.window = [as_text(line) for line in self.window]
        self.n_of = {line.seq: n for n, line in enumerate(self.raw)}
        self.entries = list(self._entries(parse))
        self.current = [entry for entry in self.entries if entry.version == self.version]
        self.showing: dict[int, Entry] = {}  # original → the first current row that names it
        self.open_to_model: set[str] = set()  # calls of the current window
        for entry in self.current:
            for seq in entry.originals:
                if seq not in self.showing:
                    self.showing[seq] = entry
            if entry.calls:
                self.open_to_model.update([call.id for call in entry.calls])

    def _entries(self, parse: Parse) -> Iterator[Entry]:
        shape, n_of = self.shape, self.n_of
        column, linked, versioned = shape.columns["calls"], shape.linked, shape.row_version
        for line in self.window:
            found, problem = originals(line, shape)
            n = n_of.get(found[0]) if len(found) == 1 else None
            if n is None:
                called, odd = parse(line.calls, column)
                summary = len(found) != 1 and not (linked and not found)
            else:
                own = self.raw[n]
                if own.calls == line.calls:
                    called, odd = self.calls[n], self.odd_calls[n]
                else:
                    called, odd = parse(line.calls, column)
                summary = own.content != line.content and said(own) != said(line)
            version, place = line.version if versioned else self.version, line.seq
            yield Entry(
                line,
                version if isinstance(version, int) else None,
                place if isinstance(place, int) else None,
                found,
                called,
                answered(line) if line.answers else None,
                summary,
                () if problem is None and odd is None else [p for p in (problem, odd) if p],
            )

    @property
    def counter(self) -> int | None:
        """The next number."""
        stored = self._of_head(self.shape.counter)
        return stored + 1 if stored is not None and not self.shape.counts_next else stored

    def _of_head(self, column: str | None) -> int | None:
        return whole(self.head.get(column)) if self.head and column else None

    @cached_property
    def highest(self) -> int:
        """The highest number in use, 0 if none is."""
        used = [seq for seq in self.n_of if isinstance(seq, int) and whole(seq) is not None]
        return max(max(used, default=0), max(self.showing, default=0))

    def sent(self) -> list[bool | None]:
        """Of each message, whether the current window shows it."""
        if not self.current:
            return [None] * len(self.raw)
        shown = {seq for seq, entry in self.showing.items() if not entry.summary}
        return [isinstance(line.seq, int) and line.seq in shown for line in self.raw]

    @cached_property
    def kept(self) -> dict[int, Entry]:
        """Lost messages → the row of a window that holds them as they were stored.

        A message enters the window of its time with the history, in one transaction and unchanged;
        later windows may hold it shortened.
        """
        lost = set() if self.shape.linked else self.showing.keys() - self.n_of.keys()
        found: dict[int, Entry] = {}
        if lost and any(whole(line.seq) is None for line in self.raw):
            return found  # what has no number may be what looks lost
        for entry in self.entries if lost else ():
            alone = len(entry.originals) == 1 and entry.version is not None
            if alone and entry.originals[0] in lost:
                found.setdefault(entry.originals[0], entry)
        return found

    @cached_property
    def kept_answers(self) -> dict[str, int | None]:
        """Calls whose answer a window alone holds, and which."""
        return {e.answers: e.version for e in self.kept.values() if e.answers is not None}

    @cached_property
    def kept_calls(self) -> set[str]:
        return {call.id for entry in self.kept.values() for call in entry.calls}

    def left_out(self, call: Call, n: int) -> str | None:
        """Why a call of the history may stay open: a repair took it out of the window only, or its
        answer is there, in a window alone."""
        if call.id in self.kept_answers:
            return f"the history lost it, window {self.kept_answers[call.id]} holds it"
        if call.id in self.open_to_model or not self.current:
            return None
        later = next((k for k in range(n + 1, len(self.raw)) if _is_note(self.raw[k])), None)
        if later is not None:
            return f"left out of the window by the note at {whole(self.raw[later].seq)}"
        own = whole(self.raw[n].seq)
        entry = self.showing.get(own) if own is not None else None
        if entry is not None and is_annotated(said(entry.line)):
            return f"left out of the window by the text that stands for {own}"
        return None

    def home(self, entry: Entry) -> int | None:
        """The message that the row stands for, or the last of them that is there."""
        if len(entry.originals) == 1:
            return self.n_of.get(entry.originals[0])
        return next((self.n_of[s] for s in reversed(entry.originals) if s in self.n_of), None)

    def call_part(self, n: int, call: Call, number: int) -> int:
        """The part that a call of a window row is of message `n`."""
        if n >= len(self.raw):
            return number
        ids = [known.id for known in self.calls[n]]
        return before_calls(self.raw[n]) + (ids.index(call.id) if call.id in ids else number)


def before_calls(line: Line) -> int:
    """Parts of a message that stand before its calls."""
    return (1 if line.reasoning else 0) + (1 if line.content else 0)


def _is_note(line: Line) -> bool:
    return line.role == "user" and is_marked(said(line))
