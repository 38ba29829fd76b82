"""Which rows are lost, as the indexes of their table prove it: an index names rows too."""

import sqlite3
from collections.abc import Collection, Sequence
from pathlib import Path

from msgspec import Struct

from suture.model.condition import SessionLoss, TableLoss
from suture.stores._tables import quoted
from suture.stores.sqlite.integrity import Complaint
from suture.stores.sqlite.salvage import Copied, Salvage

# What the stores call the session that a row belongs to.
_NAMES = ("session_id", "thread_id", "aggregate_id", "conversation_id")
_HEADS = ("session", "sessions", "threads")  # their rows are sessions


def losses(
    database: sqlite3.Connection, found: Salvage, said: Sequence[Complaint], target: Path
) -> tuple[TableLoss, ...]:
    """Of every table; nothing is lost of those that nobody complains of."""
    touched = {complaint.table for complaint in said}
    bad = {c.index for c in said if c.index is not None and c.page}
    # SQLite still takes the file for what it was when it was opened
    database.execute("ATTACH ? AS fresh", (str(target),))
    made = []
    for copied in found.tables.values():
        if copied.holes or copied.refused or copied.table in touched:
            made.append(_loss(database, copied, bad))
        elif not copied.table.startswith("sqlite_"):
            made.append(TableLoss(copied.table, copied.rows, 0))
    return tuple(made)


def _loss(database: sqlite3.Connection, copied: Copied, bad: Collection[str]) -> TableLoss:
    counts: list[tuple[int, tuple[SessionLoss, ...]]] = []
    for index in _sound_first(database, copied.table, bad):
        if index in bad and (counts or copied.holes):
            break  # a damaged index may name anything: heard only where the table seems whole
        try:
            counts.append(_named_by(database, copied, index))
        except sqlite3.Error:
            continue
    if counts:
        lost, sessions = max(counts, key=lambda one: (one[0], len(one[1])))
        return TableLoss(copied.table, copied.rows, lost + copied.refused, sessions)
    unknown = copied.refused if not copied.holes else None
    return TableLoss(copied.table, copied.rows, unknown)


def _sound_first(database: sqlite3.Connection, table: str, bad: Collection[str]) -> list[str]:
    rows = database.execute("SELECT name, partial FROM pragma_index_list(?)", (table,)).fetchall()
    whole = [str(name) for name, partial in rows if not partial]
    return sorted(whole, key=lambda name: (name in bad, name))


def _named_by(
    database: sqlite3.Connection, copied: Copied, index: str
) -> tuple[int, tuple[SessionLoss, ...]]:
    rowid, table = copied.columns.rowid, quoted(copied.table)
    if rowid is None:
        raise sqlite3.NotSupportedError("its index holds no rowid")
    source = f"main.{table} INDEXED BY {quoted(index)}"
    database.execute("DROP TABLE IF EXISTS temp.lost")
    database.execute(
        f"CREATE TEMP TABLE lost AS SELECT {rowid} AS id FROM {source} "
        f"EXCEPT SELECT {rowid} FROM fresh.{table}"
    )
    (lost,) = database.execute("SELECT count(*) FROM temp.lost").fetchone()
    owner = _owner(database, copied.table, index) if lost else None
    return lost, () if owner is None else _by_session(database, copied, source, owner)


class _Owner(Struct, frozen=True):
    """How a row names its session: by a column of its own, or by a row that it hangs on."""

    column: str
    parent: str | None = None
    key: str | None = None  # of the parent
    session: str | None = None

    def counts(self, rows: str) -> str:
        """SQL for the rows of each session; `rows` selects the column as `own`."""
        if self.parent is None:
            return f"SELECT own, count(*) FROM ({rows}) GROUP BY 1"
        return (
            f"SELECT p.{quoted(self.session or '')}, count(*) FROM ({rows}) "
            f"JOIN fresh.{quoted(self.parent)} p ON p.{quoted(self.key or '')} IS own GROUP BY 1"
        )


def _by_session(
    database: sqlite3.Connection, copied: Copied, source: str, owner: _Owner
) -> tuple[SessionLoss, ...]:
    own = f"SELECT {quoted(owner.column)} AS own FROM"
    lost = f"{own} {source} WHERE +{copied.columns.rowid} IN (SELECT id FROM temp.lost)"
    kept = dict(database.execute(owner.counts(f"{own} fresh.{quoted(copied.table)}")).fetchall())
    gone = dict(database.execute(owner.counts(lost)).fetchall())
    return tuple(
        SessionLoss(str(name), int(kept.get(name, 0)), int(count))
        for name, count in sorted(gone.items(), key=lambda item: str(item[0]))
    )


def _owner(database: sqlite3.Connection, table: str, index: str) -> _Owner | None:
    rows = database.execute("SELECT name FROM pragma_index_xinfo(?)", (index,))
    there = {str(name) for (name,) in rows if name is not None}
    if column := _session_column(table, there):
        return _Owner(column)
    keys = 'SELECT "from", "table", "to" FROM pragma_foreign_key_list(?)'
    for column, parent, key in database.execute(keys, (table,)).fetchall():
        names = database.execute("SELECT name FROM pragma_table_info(?)", (parent,))
        session = _session_column(str(parent), {str(name) for (name,) in names})
        if column in there and key is not None and session is not None:
            return _Owner(str(column), str(parent), str(key), session)
    return None


def _session_column(table: str, there: Collection[str]) -> str | None:
    wanted = ("id", *_NAMES) if table in _HEADS else _NAMES
    return next((name for name in wanted if name in there), None)
