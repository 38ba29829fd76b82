"""Take an apply back: every byte, mode and time, and every row."""

from collections.abc import Callable
from pathlib import Path

from suture.model.errors import ApplyFailed, LiveWriter, StaleStore, SutureError
from suture.model.files import Writer
from suture.model.plan import UnitPlan
from suture.repair import settle
from suture.repair.applier import Outcome
from suture.repair.book import open_book
from suture.repair.journal import locked, supported
from suture.repair.journal_root import root
from suture.repair.verify import refuse_live


def undo(
    id: str,
    *,
    journal: Path | None,
    writers: Callable[[UnitPlan], list[Writer]],
    force_live: bool = False,
) -> tuple[Outcome, ...]:
    """Undo what can be; then raise for what moved on or is in use, which is left as it is."""
    supported()
    folder = root(journal)
    with locked(folder):
        book = open_book(folder, id)
        plan = book.plan()
        outcomes: list[Outcome] = []
        refused: list[SutureError] = []
        for state in reversed(book.states()):  # later units may build on earlier ones
            if state.status in {"undone", "rolled_back"}:
                outcomes.append(Outcome(state.unit, state.status, state.reason))
                continue
            unit = plan.units[state.index]
            try:
                refuse_live(unit, writers, force_live)
                settle.retreat(book, unit, state, "undone", None)
                outcomes.append(Outcome(state.unit, "undone"))
            except SutureError as error:
                refused.append(error)
            except OSError as error:
                what = f"{error.filename}: {error.strerror}; run undo {id} again"
                refused.append(ApplyFailed(what))
        book.close()
    if refused:
        raise _combined(refused, len(outcomes))
    return tuple(reversed(outcomes))


def _combined(refused: list[SutureError], done: int) -> SutureError:
    text = "; ".join(str(error) for error in refused)
    if done:
        text = f"{text}; {done} other units are undone"
    for kind in (LiveWriter, StaleStore):
        if all(isinstance(error, kind) for error in refused):
            return kind(text)
    first = refused[0]
    return type(first)(text) if type(first) in (LiveWriter, StaleStore) else ApplyFailed(text)
