"""What `integrity_check` says, by the table and the tree that it is about."""

import re
import sqlite3

from msgspec import Struct

from suture.stores.sqlite.pages import Pages

_MOST = 1000  # messages: a damaged index has one for each row
_PAGE = re.compile(r"(?:Tree \d+ )?\b[Pp]age (\d+)")
_INDEX = re.compile(r"(?:missing from index|entries in index|entry in index) (\S+)$")
_VIRTUAL = re.compile(r"for (?:FTS\d|RTREE|rtree) table \w+\.(\S+)", re.IGNORECASE)
# What a writer stored against the rules of the schema: all pages are well.
_VALUES = re.compile(r"^(?:NULL|TEXT|NUMERIC|non-\w+) value in |^CHECK constraint failed")
_CORRUPT = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


class Tree(Struct, frozen=True):
    """A b-tree: of a table, or of an index of one."""

    name: str
    table: str
    root: int
    is_index: bool


class Complaint(Struct, frozen=True):
    table: str | None
    index: str | None
    text: str
    page: bool = False  # it is about a page, not about a row that is in one tree and not another


def is_corrupt(error: sqlite3.Error) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _CORRUPT


def trees(database: sqlite3.Connection) -> list[Tree]:
    rows = database.execute(
        "SELECT name, tbl_name, rootpage, type = 'index' FROM sqlite_master WHERE rootpage > 0"
    ).fetchall()
    schema = Tree("sqlite_master", "sqlite_master", 1, False)
    return [schema, *(Tree(str(n), str(t), int(r), bool(i)) for n, t, r, i in rows)]


def complaints(database: sqlite3.Connection, pages: Pages | None) -> list[Complaint]:
    """Raises sqlite3.Error when not even the schema can be read."""
    texts = _texts(database)
    if pages is not None and pages.missing:
        verb = "is" if pages.missing == 1 else "are"
        whole = pages.count + pages.missing
        texts.insert(0, f"it was cut: {pages.missing} of {whole} pages {verb} missing")
    if not texts:
        return []
    known = trees(database)
    owner: dict[int, Tree] = {}
    if pages is not None:
        for tree in known:
            for page in pages.reach(tree.root):
                owner.setdefault(page, tree)
    names = {tree.name: tree for tree in known}
    return [_complaint(text, owner, names) for text in texts]


def _texts(database: sqlite3.Connection) -> list[str]:
    told, error = _told(database, "integrity_check")
    if error is not None and not is_corrupt(error):
        # an index needs a collation or a function that is not here
        told, error = _told(database, "quick_check")
    if error is not None and is_corrupt(error) and not told:
        told = [str(error)]
    lines = (line for text in told for line in text.splitlines())
    return [
        line
        for line in lines
        if line != "ok" and not line.startswith("*** in database") and not _VALUES.match(line)
    ]


def _told(database: sqlite3.Connection, pragma: str) -> tuple[list[str], sqlite3.Error | None]:
    """What was said before the check itself ran into the damage counts too, and the cursor of
    Python drops the last row before an error."""
    told: list[str] = []
    database.create_function("note", 1, lambda text: told.append(str(text)))
    try:
        database.execute(f"SELECT note({pragma}) FROM pragma_{pragma}({_MOST})").fetchall()
    except sqlite3.Error as error:
        return told, error
    return told, None


def _complaint(text: str, owner: dict[int, Tree], names: dict[str, Tree]) -> Complaint:
    about_page = False
    if found := _INDEX.search(text):
        tree = names.get(found[1])
    elif found := _PAGE.search(text):
        tree, about_page = owner.get(int(found[1])), True
    else:
        found = _VIRTUAL.search(text)
        return Complaint(found[1] if found else None, None, text)
    if tree is None:
        return Complaint(None, None, text)
    return Complaint(tree.table, tree.name if tree.is_index else None, text, about_page)
