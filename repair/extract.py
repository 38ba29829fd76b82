"""What one step of an apply took out, from the journal."""

from pathlib import Path

from suture.model.edit import BytesEdit, DatabaseEdit, Edit, FileEdit, RowEdit, TwinEdit
from suture.model.errors import NothingToRead
from suture.model.plan import Plan, Step, UnitPlan
from suture.repair import splice
from suture.repair.book import Book, open_book
from suture.repair.change import Change, UnitState
from suture.repair.codec import dumps, value_json
from suture.repair.journal_root import root


def extract(journal: Path | None, id: str, step: int) -> bytes:
    """What one step took out: bytes as they were, rows as JSON."""
    found = open_book(root(journal), id)
    unit, index, chosen = _step(found.plan(), step)
    state = next((s for s in found.states() if s.index == index), None)
    if state is None or state.status == "rolled_back":
        raise NothingToRead(f"step {step} was not applied")
    if any(isinstance(edit, DatabaseEdit) for edit in chosen.edits):
        files = ", ".join(f"{Path(c.path).name} as {found.saved(c.saved)}" for c in state.changes)
        raise NothingToRead(f"step {step} replaced a whole database; it is kept: {files}")
    return b"".join(_taken(found, unit, state, edit) for edit in chosen.edits)


def _step(plan: Plan, number: int) -> tuple[UnitPlan, int, Step]:
    count = 0
    for index, unit in enumerate(plan.units):
        if count < number <= count + len(unit.steps):
            return unit, index, unit.steps[number - count - 1]
        count += len(unit.steps)
    raise NothingToRead(f"the plan has no step {number}, it has {count}")


def _taken(book: Book, unit: UnitPlan, state: UnitState, edit: Edit) -> bytes:
    if isinstance(edit, RowEdit):
        row = edit.before or {}
        line = {"table": edit.table, "row": {name: value_json(v) for name, v in row.items()}}
        return b"" if edit.before is None else dumps(line)
    change = next(c for c in state.changes if unit.sources[c.source].path == edit.path)
    if change.before is None:
        return b""
    saved = book.saved(change.saved)
    if isinstance(edit, TwinEdit):
        return b""
    if isinstance(edit, FileEdit | DatabaseEdit):
        return Path(saved).read_bytes()
    return _removed(book, unit, change, edit, saved)


def _removed(book: Book, unit: UnitPlan, change: Change, edit: BytesEdit, saved: str) -> bytes:
    if change.whole:
        with splice.opened(saved, book.folder) as file:
            return b"".join(splice.chunks(splice.removed([edit]), file))
    spans = splice.ordered(change.spans(unit))
    offset = sum(e.length for e in spans[: spans.index(edit)])
    with Path(saved).open("rb") as file:
        return b"".join(splice.chunks([splice.Saved(offset, edit.length)], file, file))
