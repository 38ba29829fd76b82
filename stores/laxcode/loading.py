"""What the client checks when it opens a session: one that fails cannot be opened at all."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from suture.stores.laxcode.fields import Problem
from suture.stores.laxcode.session import Session
from suture.stores.laxcode.window import Entry

_REFUSED = "the client refuses to open the session"


def load_faults(session: Session) -> Iterator[tuple[Problem, Entry | None]]:
    """`Entry` None: the session as a whole."""
    shape = session.shape
    if session.head is None:
        rows = len(session.raw) + len(session.window)
        if rows:
            messages = "a message is" if rows == 1 else f"{rows} messages are"
            text = f"{messages} of a session that has no row"
            yield Problem("foreign_key", "session_id", text), None
        return
    for link in session.current if shape.linked else ():
        if link.line.role is None:
            text = "a link of the window names a message that is not there"
            yield Problem("foreign_key", "message_id", text), link
    last = (session.counter or 1) - 1
    if not session.current and not shape.linked and last and session.highest:
        talk = "the history has a message" if last == 1 else f"the history has {last} messages"
        yield Problem("empty_window", "", f"the current window is empty, {talk}: {_REFUSED}"), None
    for text, entry in _refusals(session):
        yield Problem("bad_shape", "", f"{text}: {_REFUSED}"), entry


def _refusals(session: Session) -> Iterator[tuple[str, Entry]]:
    current, linked = session.current, session.shape.linked
    last = (session.counter or 1) - 1
    if not linked and _is_whole(current, last):
        return
    for n, one in enumerate(current):
        is_system = one.line.role == "system"
        if n and is_system:
            yield "a system prompt stands within the window", one
        elif not n and not is_system and not linked:
            yield "the window does not begin with the system prompt", one
        if not linked and one.place is None:
            yield "a row of the window has no number", one
        elif not linked and one.originals and not _names_itself(one):
            yield f"row {one.place} of the window names its messages wrongly", one
    for before, after in pairwise([e for e in current if e.originals]):
        if after.originals[0] <= before.originals[0]:
            yield "the window goes back in the history", after
    # a number that lags or is ahead has a finding of its own
    if current and not linked and last == session.highest and current[-1].place not in (last, None):
        yield f"the window ends at {current[-1].place} and the session at {last}", current[-1]


def _is_whole(current: Sequence[Entry], last: int) -> bool:
    """What nearly every session is, told in one pass."""
    before = 0
    for entry in current:
        numbers = entry.originals
        if not numbers or numbers[0] != entry.place or numbers[0] <= before:
            return False
        if (entry.line.role == "system") == (before > 0):
            return False
        if len(numbers) > 1 and not is_rising(numbers):
            return False
        before = numbers[0]
    return before == last


def _names_itself(entry: Entry) -> bool:
    numbers = entry.originals
    return numbers[0] == entry.place and (len(numbers) == 1 or is_rising(numbers))


def is_rising(numbers: Sequence[int]) -> bool:
    return all(one < two for one, two in pairwise(numbers))
