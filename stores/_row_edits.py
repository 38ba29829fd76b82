"""Operations on sessions of a database: what their stores share on the way to edits of rows."""

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager

from suture.model.edit import Edit, RowEdit
from suture.model.errors import Unsupported
from suture.model.files import Files
from suture.model.operation import Operation
from suture.model.unit import Unit
from suture.stores._store import Translated
from suture.stores._tables import in_order

ROWS = "rows of a table are no bytes of a file"


@contextmanager
def opened(unit: Unit, files: Files) -> Iterator[sqlite3.Connection]:
    """Raises Unsupported, too when the database fails later on."""
    try:
        with closing(files.sqlite(unit.paths[0])) as database:
            yield database
    except sqlite3.Error as error:
        raise Unsupported(f"the database cannot be read: {error}") from error


def by_session(
    operations: Sequence[Operation],
    unit: Unit,
    database: sqlite3.Connection,
    names: Callable[[sqlite3.Connection], Sequence[str]],
) -> Iterator[tuple[str, list[Operation]]]:
    """The operations of each session, answers in the order of their calls."""
    found: dict[int, list[Operation]] = defaultdict(list)
    for operation in sorted(operations, key=in_order):
        found[getattr(operation, "session", 0) & 0xFFFFFFFF].append(operation)
    known = [unit.session] if unit.session is not None else names(database)
    for at, own in found.items():
        yield known[at], own


def all_in_first(
    edits: Sequence[Edit], cache: str, operations: Sequence[Operation]
) -> list[Translated]:
    """They are one change: the first operation carries the edits of all. Raises Unsupported for a
    number that follows the largest one: SQLite cannot hold it."""
    for edit in edits:
        values = (edit.after or {}).values() if isinstance(edit, RowEdit) else ()
        if any(isinstance(v, int) and not -(2**63) <= v < 2**63 for v in values):
            raise Unsupported("a number of the session is the largest there is: none follows it")
    return [Translated(tuple(edits) if i == 0 else (), cache) for i in range(len(operations))]


def refused(
    operation: Operation,
    supports: Mapping[str, str],
    otherwise: str = "the tables hold nothing of that kind",
) -> Unsupported:
    """Why it cannot be carried out: never, or not at the place that it names."""
    reason = supports[type(operation).__name__]
    return Unsupported(reason if reason != "yes" else otherwise)
