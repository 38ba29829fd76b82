"""The rows of some sessions, read in the order of the keys, as lines of one form for all variants.

Columns are read as whatever a writer put into them: a line states, it does not judge.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

from suture.model.edit import Value
from suture.stores._sqlite import columns
from suture.stores._tables import Record, quoted, text, with_rowid
from suture.stores.laxcode.hashing import Hashes, hashes
from suture.stores.laxcode.shape import ORIGINAL, Shape, shape_of

_SEEK = 8  # so few sessions are looked up one by one instead of all between the first and last


class Line(NamedTuple):
    """A message of the history, or a row of a window with the message that it shows."""

    session: Value
    seq: Value  # in a window: the place of the row
    role: Value
    content: Value
    reasoning: Value = None
    calls: Value = None  # JSON
    answers: Value = None  # the call, of a result
    time: Value = None
    id: Value = None  # names the row, or in variant A the message, where there is such a column
    artifact: Value = None
    tokens_in: Value = None
    tokens_out: Value = None
    version: Value = None  # of a window row
    originals: Value = None  # of a window row: JSON
    type: Value = None  # original | in_memory, where one table holds both


_TEXTS = ("role", "content", "reasoning", "answers")
_line = partial(tuple.__new__, Line)  # at half the price of Line._make


def as_text(line: Line) -> Line:
    """Go gives a BLOB to a program that asks for text."""
    texts = {name: _decoded(getattr(line, name)) for name in _TEXTS}
    return line._replace(**{name: value for name, value in texts.items() if value is not None})


def _decoded(value: Value) -> Value:
    return text(value) if isinstance(value, bytes) else None


class Lines(NamedTuple):
    """One session."""

    name: str
    head: Record | None
    raw: Sequence[Line]  # in the order of seq
    window: Sequence[Line]  # every version, in the order of version and place
    hashes: Hashes = MappingProxyType({})


def shape(database: sqlite3.Connection) -> Shape:
    """Raises sqlite3.Error for tables that are not laxcode's (any more)."""
    database.text_factory = bytes  # a name need not be UTF-8
    found = shape_of(columns(database))
    if found is None:
        raise sqlite3.DatabaseError("the tables of laxcode are not there")
    return found


def session_ids(database: sqlite3.Connection, shape: Shape) -> list[str]:
    """Every session that any of the tables names, also one without a row of its own."""
    database.text_factory = text
    names: set[str] = set()
    for table in dict.fromkeys((shape.head, shape.raw, shape.window)):
        found = database.execute(f"select distinct session_id from {quoted(table)}")
        names.update(str(name) for (name,) in found if name is not None)
    return sorted(names)


def lines(database: sqlite3.Connection, shape: Shape, names: Sequence[str]) -> Iterator[Lines]:
    """The sessions of these names, in their order. Of what lies between them nothing is kept."""
    try:
        database.text_factory = str
        heads, raw, window = _read(database, shape, names)
    except sqlite3.OperationalError:  # some text is not UTF-8
        database.text_factory = text
        heads, raw, window = _read(database, shape, names)
    hashed = hashes(database, *_among(names)) if shape.linked else {}
    for name in names:
        own = hashed.get(name, MappingProxyType({}))
        yield Lines(name, heads.get(name), raw.get(name, ()), window.get(name, ()), own)


Groups = Mapping[Value, Sequence[Line]]


def _read(
    database: sqlite3.Connection, shape: Shape, names: Sequence[str]
) -> tuple[Mapping[Value, Record], Groups, Groups]:
    where, values = _among(names)
    cursor = database.execute(f"select * from {quoted(shape.head)} where {where}", values)
    columns = [column[0] for column in cursor.description]
    heads = [dict(zip(columns, row, strict=True)) for row in cursor]
    raw: dict[Value, list[Line]] = defaultdict(list)
    window: dict[Value, list[Line]] = defaultdict(list)
    if shape.shared:
        for line in map(_line, database.execute(_shared(shape, where), values)):
            (raw if line.type == ORIGINAL else window)[line.session].append(line)
    else:
        for line in map(_line, database.execute(_raw(database, shape, where), values)):
            raw[line.session].append(line)
        for line in map(_line, database.execute(_window(database, shape, where), values)):
            window[line.session].append(line)
    return {head["session_id"]: head for head in heads}, raw, window


def _among(names: Sequence[str], column: str = "session_id") -> tuple[str, list[str]]:
    if len(names) <= _SEEK:
        return f"{column} in ({', '.join('?' * len(names))})", list(names)
    return f"{column} between ? and ?", [min(names), max(names)]


def _columns(shape: Shape, table: str, without: Iterable[str] = ()) -> str:
    """The fields of a Line in their order; what the table does not have is NULL."""
    known = shape.table_columns[table]
    named = ((name, shape.columns.get(name, name)) for name in Line._fields[1:])
    rest = (
        quoted(column) if column in known and name not in without else "null"
        for name, column in named
    )
    return ", ".join(["session_id", *rest])


def _shared(shape: Shape, where: str) -> str:
    order = "session_id, message_type, memory_generation, seq"  # that of the primary key
    return f"select {_columns(shape, shape.raw)} from messages where {where} order by {order}"


def _raw(database: sqlite3.Connection, shape: Shape, where: str) -> str:
    only = " and message_kind = 'original'" if shape.linked else ""
    listed = _columns(shape, shape.raw, ("originals", "version"))
    order = with_rowid(database, shape.raw, "session_id, seq, rowid")
    return f"select {listed} from {quoted(shape.raw)} where {where}{only} order by {order}"


def _window(database: sqlite3.Connection, shape: Shape, where: str) -> str:
    if shape.linked:
        return _links(shape, where)
    version = f"{quoted(shape.row_version)}, " if shape.row_version else ""
    listed = _columns(shape, shape.window)
    order = with_rowid(database, shape.window, f"session_id, {version}seq, rowid")
    return f"select {listed} from {quoted(shape.window)} where {where} order by {order}"


def _links(shape: Shape, where: str) -> str:
    """The system prompt is not of the history: it stands for no original."""
    own = {
        "session": "l.session_id",
        "seq": "l.position",
        "id": "l.message_id",
        "version": "null",
        "originals": "case when m.message_kind <> 'system' then '[' || m.seq || ']' end",
    }
    known = shape.table_columns[shape.raw]
    named = ((name, shape.columns.get(name, name)) for name in Line._fields)
    listed = ", ".join(
        own.get(name) or (f"m.{quoted(column)}" if column in known else "null")
        for name, column in named
    )
    return (
        f"select {listed} from session_context_messages l left join messages m "
        f"on m.message_id = l.message_id where l.{where} order by l.session_id, l.position"
    )
