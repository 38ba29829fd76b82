"""Faults in the rows and pages of a SQLite database."""

import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from random import Random

from spoiled_lines import PLAIN, lost_key, moved_value, odd_value

_PAGE = 4096


def _bound(value: object) -> object:
    """As SQLite can hold it."""
    if isinstance(value, int):
        return max(-(2**63), min(2**63 - 1, value))
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass") if "\ud800" in value else value
    return value if isinstance(value, float) or value is None else repr(value)


CELLS = [_bound(value) for value in PLAIN] + [b"", b"\0" * 9, b"\xff\xfe", b"{}", "{", "[]", "null"]


def cell(db: sqlite3.Connection, random: Random) -> None:
    if (place := _place(db, random)) is None:
        return
    table, column, rowid, _ = place
    _set(db, table, column, rowid, random.choice(CELLS))


def cell_of_another_row(db: sqlite3.Connection, random: Random) -> None:
    if (place := _place(db, random)) is None:
        return
    table, column, rowid, _ = place
    if (other := _row(db, table, column, random.randrange(_count(db, table)))) is not None:
        _set(db, table, column, rowid, other[1])


def document(db: sqlite3.Connection, random: Random) -> None:
    """A value inside the JSON that a cell holds."""
    for _ in range(8):
        if (place := _place(db, random)) is None:
            return
        table, column, rowid, value = place
        raw = value.encode() if isinstance(value, str) else value
        if not isinstance(raw, bytes) or raw[:1] not in (b"{", b"["):
            continue
        made = random.choice((odd_value, odd_value, moved_value, lost_key))(raw, random)
        text: object = made
        if isinstance(value, str):
            with suppress(UnicodeDecodeError):
                text = made.decode()
        _set(db, table, column, rowid, text)
        return


def lost_row(db: sqlite3.Connection, random: Random) -> None:
    if (place := _place(db, random)) is not None:
        db.execute(f'delete from "{place[0]}" where rowid = ?', (place[2],))


def row_twice(db: sqlite3.Connection, random: Random) -> None:
    """With another key where the table has one, so that all else stands twice."""
    if (place := _place(db, random)) is None:
        return
    table, _, rowid, _ = place
    columns = [(name, kind, key) for _, name, kind, _, _, key in _columns(db, table)]
    chosen = ", ".join(
        (f'"{name}" + 100000' if "INT" in kind.upper() else f"\"{name}\" || 'x'")
        if key
        else f'"{name}"'
        for name, kind, key in columns
    )
    db.execute(f'insert into "{table}" select {chosen} from "{table}" where rowid = ?', (rowid,))


def lost_table(db: sqlite3.Connection, random: Random) -> None:
    if tables := _tables(db):
        db.execute(f'drop table "{random.choice(tables)}"')


def _tables(db: sqlite3.Connection) -> list[str]:
    found = db.execute(
        "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' "
        "and sql not like '%without rowid%' and sql not like 'create virtual%' order by name"
    )
    return [name for (name,) in found]


def _count(db: sqlite3.Connection, table: str) -> int:
    return int(db.execute(f'select count(*) from "{table}"').fetchone()[0])


def _columns(db: sqlite3.Connection, table: str) -> list[tuple[int, str, str, int, object, int]]:
    return list(db.execute(f'pragma table_info("{table}")'))


def _place(db: sqlite3.Connection, random: Random) -> tuple[str, str, int, object] | None:
    filled = [(table, count) for table in _tables(db) if (count := _count(db, table))]
    if not filled:
        return None
    table, count = random.choice(filled)
    column = random.choice(_columns(db, table))[1]
    row = _row(db, table, column, random.randrange(count))
    return row and (table, column, *row)


def _row(db: sqlite3.Connection, table: str, column: str, at: int) -> tuple[int, object] | None:
    """None where pages are damaged."""
    sql = f'select rowid, "{column}" from "{table}" order by rowid limit 1 offset ?'
    row: tuple[int, object] | None = db.execute(sql, (at,)).fetchone()
    return row


def _set(db: sqlite3.Connection, table: str, column: str, rowid: int, value: object) -> None:
    db.execute(f'update "{table}" set "{column}" = ? where rowid = ?', (value, rowid))


ROWS: dict[str, Callable[[sqlite3.Connection, Random], None]] = {
    "cell": cell,
    "cell-of-another-row": cell_of_another_row,
    "document": document,
    "lost-row": lost_row,
    "row-twice": row_twice,
    "lost-table": lost_table,
}


def spoil_rows(path: Path, kind: str, random: Random) -> None:
    """What the schema itself refuses is left undone."""
    with closing(sqlite3.connect(path)) as db, suppress(sqlite3.Error):
        db.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
        db.execute("pragma ignore_check_constraints = on")
        if random.randrange(4) == 0:
            db.execute("pragma writable_schema = on")  # a schema that a tool got wrong
        for (name,) in db.execute(
            "select name from sqlite_master where type = 'trigger'"
        ).fetchall():
            if random.randrange(2):
                db.execute(f'drop trigger "{name}"')
        ROWS[kind](db, random)
        db.commit()


def _random_page(data: bytes, random: Random) -> bytes:
    at = _PAGE * random.randrange(max(1, len(data) // _PAGE))
    return data[:at] + random.randbytes(_PAGE) + data[at + _PAGE :]


def _zero_page(data: bytes, random: Random) -> bytes:
    at = _PAGE * random.randrange(max(1, len(data) // _PAGE))
    return data[:at] + bytes(_PAGE) + data[at + _PAGE :]


def _page_of_another(data: bytes, random: Random) -> bytes:
    count = max(1, len(data) // _PAGE)
    to, source = _PAGE * random.randrange(count), _PAGE * random.randrange(count)
    return data[:to] + data[source : source + _PAGE] + data[to + _PAGE :]


PAGES: dict[str, Callable[[bytes, Random], bytes]] = {
    "random-page": _random_page,
    "zero-page": _zero_page,
    "page-of-another": _page_of_another,
}
