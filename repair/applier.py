"""Do what a plan says, unit by unit: a unit that moved or is live is left whole, others go on."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from msgspec import Struct

from suture.model.errors import ApplyFailed, BadPlan, LiveWriter, StaleStore, SutureError
from suture.model.plan import Plan, UnitPlan
from suture.repair import consistent, lost, settle
from suture.repair.book import Book, begin, open_book
from suture.repair.journal import locked, supported
from suture.repair.journal_root import root
from suture.repair.settle import Checks
from suture.repair.verify import Seen, first_look, refuse_live, refuse_network, second_look

FRESH_NS = 2_000_000_000  # a file this new may still be growing: look twice
PAUSE = 0.25  # seconds between the looks

_UNTOUCHED = (BadPlan, StaleStore, LiveWriter)


class Outcome(Struct, frozen=True):
    unit: str
    status: str  # applied | unchanged | skipped | rolled_back | undone | unfinished
    reason: str | None = None
    exit_code: int = 0


class Applied(Struct, frozen=True):
    journal: str | None  # None: nothing was begun
    outcomes: tuple[Outcome, ...]

    @property
    def exit_code(self) -> int:
        """Of the first unit that was not done."""
        return next((o.exit_code for o in self.outcomes if o.exit_code), 0)


def apply(
    plan: Plan, plan_bytes: bytes, *, journal: Path | None, all_or_none: bool, checks: Checks
) -> Applied:
    supported()
    consistent.check(plan)
    folder = root(journal)
    with locked(folder):
        seen = {i: _look(unit, folder, checks) for i, unit in enumerate(plan.units)}
        bad = [found for found in seen.values() if isinstance(found, Outcome) and found.exit_code]
        ready = [found for found in seen.values() if isinstance(found, Seen)]
        if not ready or (bad and all_or_none):
            return Applied(None, tuple(_refused(u, seen[i]) for i, u in enumerate(plan.units)))
        _wait(ready)
        book = _begin(folder, plan, plan_bytes, all_or_none)
        with _closed(book):
            return Applied(book.id, tuple(_run(book, plan, seen, checks, all_or_none)))


def resume(id: str, *, journal: Path | None, checks: Checks) -> Applied:
    """Go on where an apply was killed, until every unit is new, or old with a reason."""
    supported()
    folder = root(journal)
    with locked(folder):
        book = open_book(folder, id)
        plan, head = book.plan(), book.head()
        consistent.check(plan)
        seen: dict[int, Seen | Outcome | None] = {}
        for index, unit in enumerate(plan.units):
            state = book.state(index)
            if state is None and not head.open:
                seen[index] = Outcome(unit.unit, "unchanged")
            elif state is None:
                seen[index] = _look(unit, folder, checks)
            elif state.status == "prepared":
                settle.clean(state)
                seen[index] = _look(unit, folder, checks)
            elif state.status in {"committing", "undoing"}:
                seen[index] = None
            else:
                seen[index] = Outcome(unit.unit, state.status, state.reason)
        with _closed(book):
            return Applied(book.id, tuple(_run(book, plan, seen, checks, head.all_or_none)))


def _look(unit: UnitPlan, folder: Path, checks: Checks) -> Seen | Outcome:
    if not any(unit.steps):
        return Outcome(unit.unit, "unchanged")
    try:
        refuse_network(unit, checks.force_network)
        refuse_live(unit, checks.writers, checks.force_live)
        return first_look(unit, str(folder))
    except (SutureError, OSError, EOFError) as error:
        return _skipped(unit, error)


def _refused(unit: UnitPlan, found: Seen | Outcome) -> Outcome:
    if isinstance(found, Outcome):
        return found
    return Outcome(unit.unit, "skipped", "another unit cannot be repaired", 0)


def _wait(ready: Sequence[Seen]) -> None:
    newest = max(seen.newest_ns for seen in ready)
    if time.time_ns() - newest < FRESH_NS:
        time.sleep(PAUSE)


def _begin(folder: Path, plan: Plan, plan_bytes: bytes, all_or_none: bool) -> Book:
    try:
        return begin(folder, plan, plan_bytes, all_or_none)
    except OSError as error:
        raise ApplyFailed(f"the journal {folder} cannot be written: {error.strerror}") from error


@contextmanager
def _closed(book: Book) -> Iterator[None]:
    try:
        yield
    finally:
        with suppress(OSError):  # it stays open: `check` will name it, undo or resume settle it
            book.close()


def _run(
    book: Book,
    plan: Plan,
    seen: dict[int, Seen | Outcome] | dict[int, Seen | Outcome | None],
    checks: Checks,
    all_or_none: bool,
) -> list[Outcome]:
    outcomes: list[Outcome] = []
    for index, unit in enumerate(plan.units):
        found = seen[index]
        try:
            done = found if isinstance(found, Outcome) else _unit(book, unit, index, checks, found)
        except BaseException as error:
            if all_or_none:
                _take_back(book, plan, outcomes, str(error) or type(error).__name__)
            raise
        outcomes.append(done)
        if done.exit_code and all_or_none:
            return _take_back(book, plan, outcomes, f"{unit.unit} failed")
    return outcomes


def _unit(book: Book, unit: UnitPlan, index: int, checks: Checks, seen: Seen | None) -> Outcome:
    state = book.state(index)
    try:
        refuse_live(unit, checks.writers, checks.force_live)
    except LiveWriter as error:
        return _skipped(unit, error) if seen else _stuck(book, unit, error, error)
    try:
        if seen is not None:
            second_look(unit, seen)
            state = settle.prepare(book, unit, index)
        assert state is not None
        settle.advance(book, unit, state, checks, seen)
        return Outcome(unit.unit, "applied")
    except BaseException as error:
        outcome = _give_up(book, unit, index, error)
        if not isinstance(error, SutureError | OSError | EOFError):
            raise
        return outcome


def _give_up(book: Book, unit: UnitPlan, index: int, error: BaseException) -> Outcome:
    """Put a unit back as it was, whatever stopped it."""
    if book.lost and index in book.written:
        return _without_journal(book, unit, index, error)
    try:
        state = book.state(index)
        if state is None:
            book.forget(index)
        else:
            settle.retreat(book, unit, state, "rolled_back", _reason(error))
            book.forget(index)
    except (SutureError, OSError) as second:
        return _stuck(book, unit, error, second)
    if isinstance(error, _UNTOUCHED):
        return _skipped(unit, error)
    return Outcome(unit.unit, "rolled_back", _reason(error), ApplyFailed.exit_code)


def _without_journal(book: Book, unit: UnitPlan, index: int, error: BaseException) -> Outcome:
    try:
        status, what = lost.settle(book.written[index])
    except OSError as second:
        status, what = "unfinished", _reason(second)
    reason = f"{_reason(error)}; the journal {book.folder} is gone: {what}"
    return Outcome(unit.unit, status, reason, ApplyFailed.exit_code)


def _stuck(book: Book, unit: UnitPlan, error: BaseException, second: Exception) -> Outcome:
    why = _reason(error) if second is error else f"{_reason(error)}; then {_reason(second)}"
    next_step = f"undo {book.id}, or apply --resume {book.id}"
    if book.lost:
        next_step = f"the journal {book.folder} is gone, check the store"
    reason = f"{why}; the repair stands half done: {next_step}"
    return Outcome(unit.unit, "unfinished", reason, _exit_code(error))


def _take_back(book: Book, plan: Plan, outcomes: list[Outcome], why: str) -> list[Outcome]:
    """All or none: units that were done go back, units that were not begun stay."""
    taken = list(outcomes)
    for index in reversed(range(len(taken))):
        state = book.state(index)
        if taken[index].status != "applied" or state is None:
            continue
        unit = plan.units[index]
        try:
            settle.retreat(book, unit, state, "rolled_back", why)
            taken[index] = Outcome(unit.unit, "rolled_back", why, ApplyFailed.exit_code)
        except (SutureError, OSError) as error:
            taken[index] = _stuck(book, unit, error, error)
    rest = plan.units[len(taken) :]
    return taken + [Outcome(unit.unit, "skipped", why) for unit in rest]


def _skipped(unit: UnitPlan, error: Exception) -> Outcome:
    return Outcome(unit.unit, "skipped", _reason(error), _exit_code(error))


def _exit_code(error: BaseException) -> int:
    return error.exit_code if isinstance(error, SutureError) else ApplyFailed.exit_code


def _reason(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        where = error.filename2 or error.filename
        return f"{where}: {error.strerror}" if where else error.strerror
    return str(error) or type(error).__name__
