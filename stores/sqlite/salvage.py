"""The rows that can still be read of a damaged database, in a new file.

SQLite itself reads them: on a private copy the schema is told that a table starts at some other
page, a branch of its tree or a leaf that no branch leads to any more. A damaged page costs what
stood on it, and every row is copied as it is, by SQLite, without a detour through Python.
"""

import sqlite3
from collections.abc import Collection, Iterator
from pathlib import Path

from msgspec import Struct, field

from suture.stores._tables import quoted
from suture.stores.sqlite import fresh
from suture.stores.sqlite.fresh import Columns
from suture.stores.sqlite.pages import LEAF, LEAST, MOST, Child, Pages


class Copied(Struct):
    """What became of one table."""

    table: str
    columns: Columns
    rows: int = 0
    refused: int = 0  # read, but against a key or a NOT NULL of the schema
    holes: list[Child] = field(default_factory=list)  # pages of which some or all cannot be read
    adopted: int = 0  # pages that no tree led to


class Salvage(Struct, frozen=True):
    tables: dict[str, Copied]
    failed: tuple[str, ...]  # parts of the schema that the new file is without
    strays: int  # pages with rows that fit no table, or more than one


def salvage(
    database: sqlite3.Connection, pages: Pages, doubtful: Collection[str] | None, target: Path
) -> Salvage:
    """`doubtful`: tables whose own tree is damaged, None for all. `database` is left useless."""
    entries = fresh.schema(database)
    failed = fresh.begin(database, entries, target)
    database.execute("PRAGMA writable_schema = ON")
    database.execute("ATTACH ? AS fresh", (str(target),))
    for name in ("main", "fresh"):  # both are private, and made again after a crash
        database.execute(f"PRAGMA {name}.journal_mode = MEMORY")
        database.execute(f"PRAGMA {name}.synchronous = OFF")
    tables: dict[str, Copied] = {}
    # what SQLite keeps itself comes last: it is written again while other tables are filled
    ordered = sorted(entries, key=lambda entry: entry.name.startswith("sqlite_"))
    roots = {entry.name: entry.root for entry in ordered if entry.holds_rows}
    for name, root in roots.items():
        if not (found := _columns(database, name)):
            continue
        copied = tables[name] = Copied(name, found)
        if name.startswith("sqlite_"):
            database.execute(f"DELETE FROM fresh.{quoted(name)}")
        if doubtful is not None and name not in doubtful and _whole(database, copied):
            continue
        _branch(database, pages, copied, Child(root, LEAST, MOST), set())
        _point(database, name, root)
    strays = _adopt(database, pages, tables, roots)
    for copied in tables.values():
        sql = f"SELECT count(*) FROM fresh.{quoted(copied.table)}"
        (copied.rows,) = database.execute(sql).fetchone()
    database.execute("DETACH fresh")
    failed += fresh.finish(database, entries, target)
    return Salvage(tables, tuple(failed), strays)


def _columns(database: sqlite3.Connection, table: str) -> Columns | None:
    """None also where the new file could not make the table."""
    try:
        database.execute(f"SELECT 1 FROM fresh.{quoted(table)} LIMIT 0")
        return fresh.columns(database, table)
    except sqlite3.Error:
        return None


def _point(database: sqlite3.Connection, table: str, page: int) -> None:
    """Let the table start at this page. The file is a private copy."""
    database.execute(
        "UPDATE main.sqlite_master SET rootpage = ? WHERE type = 'table' AND name = ?",
        (page, table),
    )
    database.execute("PRAGMA writable_schema = RESET")
    database.execute("PRAGMA writable_schema = ON")


def _insert(copied: Copied, verb: str = "INSERT OR IGNORE", where: str = "") -> str:
    names, table = copied.columns.list, quoted(copied.table)
    return f"{verb} INTO fresh.{table} ({names}) {_select(copied, where)}"


def _select(copied: Copied, where: str) -> str:
    return f"SELECT {copied.columns.list} FROM main.{quoted(copied.table)} NOT INDEXED {where}"


def _whole(database: sqlite3.Connection, copied: Copied) -> bool:
    # what breaks a CHECK was let in by its writer; only on a damaged page it may be garbage
    database.execute("PRAGMA ignore_check_constraints = ON")
    try:
        database.execute(_insert(copied, "INSERT"))
    except sqlite3.Error:
        return False
    finally:
        database.execute("PRAGMA ignore_check_constraints = OFF")
    return True


def _branch(
    database: sqlite3.Connection, pages: Pages, copied: Copied, at: Child, seen: set[int]
) -> None:
    """Copy what hangs below a page: at once, or else branch by branch, leaf by leaf."""
    if at.page in seen:
        return
    seen.add(at.page)
    if not pages.is_there(at.page):
        copied.holes.append(at)
        return
    _point(database, copied.table, at.page)
    if (count := _rows_below(database, copied, at)) is not None and _took(database, copied, count):
        return
    inner = pages.is_interior(at.page)
    children = list(pages.children(at.page, at.least, at.most)) if inner else []
    for child in children:
        _branch(database, pages, copied, child, seen)
    if children and not pages.has_all_children(at.page, len(children)):
        copied.holes.append(at)
    if copied.columns.rowid is None:
        copied.holes.append(at)
        _point(database, copied.table, at.page)
        _from_both_ends(database, copied)
    elif not children:
        copied.holes.append(at)
        _point(database, copied.table, at.page)
        for rowid in list(_rowids(database, copied, at)):
            if rowid is not None:
                _take(database, copied, rowid)


def _rows_below(database: sqlite3.Connection, copied: Copied, at: Child) -> int | None:
    """None: not all of them can be listed."""
    for count, rowid in enumerate(_rowids(database, copied, at)):
        if rowid is None:
            return count
    return None


def _rowids(database: sqlite3.Connection, copied: Copied, at: Child) -> Iterator[int | None]:
    """As long as they rise within the range of the page; None after the last of a whole one."""
    rowid = copied.columns.rowid
    if rowid is None:  # the tree is in the order of a key that says nothing of pages
        yield None
        return
    last = at.least
    try:
        for (found,) in database.execute(
            f"SELECT {rowid} FROM main.{quoted(copied.table)} NOT INDEXED"
        ):
            if not (last < found <= at.most or found == last == LEAST):
                return
            last = found
            yield found
    except sqlite3.Error:
        return
    yield None


def _took(database: sqlite3.Connection, copied: Copied, count: int) -> bool:
    before = database.total_changes
    try:
        database.execute(_insert(copied))
    except sqlite3.Error:
        return False
    if copied.columns.rowid is not None:
        copied.refused += count - (database.total_changes - before)
    return True


def _take(database: sqlite3.Connection, copied: Copied, rowid: int) -> None:
    before = database.total_changes
    try:
        database.execute(_insert(copied, where=f"WHERE {copied.columns.rowid} = ?"), (rowid,))
    except sqlite3.Error:
        return  # its value goes on in a page that is damaged
    copied.refused += database.total_changes == before


def _from_both_ends(database: sqlite3.Connection, copied: Copied) -> None:
    """Rows of a table WITHOUT ROWID stand in interior pages too."""
    keys = database.execute(
        "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", (copied.table,)
    ).fetchall()
    for order in ("ASC", "DESC"):
        by = f"ORDER BY {', '.join(f'{quoted(str(name))} {order}' for (name,) in keys)}"
        count = 0
        try:
            for _ in database.execute(_select(copied, by)):
                count += 1
        except sqlite3.Error:
            if count:
                database.execute(_insert(copied, where=f"{by} LIMIT {count}"))


def _adopt(
    database: sqlite3.Connection, pages: Pages, tables: dict[str, Copied], roots: dict[str, int]
) -> int:
    """Leaves that no tree leads to belong to the one table that has a hole where they fit."""
    led = pages.free().union(*(pages.reach(root) for root in (1, *roots.values())))
    strays = 0
    holed = [copied for copied in tables.values() if copied.holes and copied.columns.rowid]
    for page in range(2, pages.count + 1):
        if page in led or pages.kind(page) != LEAF:
            continue
        widths = pages.widths(page)
        fits = [c for c in holed if widths == {c.columns.stored} and _fits(database, c, page)]
        if len(fits) == 1:
            fits[0].adopted += 1
            _branch(database, pages, fits[0], Child(page, LEAST, MOST), set())
        else:
            strays += 1
    for copied in holed:
        _point(database, copied.table, roots[copied.table])
    return strays


def _fits(database: sqlite3.Connection, copied: Copied, page: int) -> bool:
    _point(database, copied.table, page)
    found = list(_rowids(database, copied, Child(page, LEAST, MOST)))
    rowids = [rowid for rowid in found if rowid is not None]
    if not rowids or not any(h.least < rowids[0] and rowids[-1] <= h.most for h in copied.holes):
        return False
    marks = ", ".join("?" for _ in rowids)
    known = f"SELECT 1 FROM fresh.{quoted(copied.table)} WHERE {copied.columns.rowid} IN ({marks})"
    return database.execute(known, rowids).fetchone() is None
