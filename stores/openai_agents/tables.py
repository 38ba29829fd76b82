"""The tables as they are. The program that uses the SDK names them, so their shape tells."""

import sqlite3
from collections.abc import Mapping, Sequence
from functools import cached_property

from msgspec import Struct

from suture.model.address import COPIED
from suture.model.edit import Value
from suture.model.errors import Unsupported
from suture.stores._tables import Record, column_names, encoded, quoted, select, text

STRUCTURE = "message_structure"
USAGE = "turn_usage"
MESSAGES = frozenset({"id", "session_id", "message_data", "created_at"})
SESSIONS = frozenset({"session_id", "created_at", "updated_at"})
STRUCTURED = frozenset({"id", "session_id", "message_id", "branch_id", "sequence_number"})
MAIN = "main"


class Tables(Struct, frozen=True):
    """A table of messages with its table of sessions; a file may hold several such pairs."""

    messages: str
    sessions: str
    variant: str  # sqlite | advanced | sqlalchemy

    @property
    def order(self) -> str:
        # SQLAlchemySession sorts by time: a later row of an earlier second comes before
        return "created_at, id" if self.variant == "sqlalchemy" else "id"


class Stored(Struct, frozen=True, dict=True):
    """All rows of one session."""

    tables: Tables
    id: str
    head: Record | None
    messages: tuple[Record, ...]  # in the order in which they are sent, of all branches
    structure: tuple[Record, ...]  # in the order of sequence_number

    @property
    def key(self) -> dict[str, Value]:
        return {"session_id": self.id}

    @cached_property
    def places(self) -> Mapping[Value, Sequence[Record]]:
        """The structure rows of each message, by its id."""
        found: dict[Value, list[Record]] = {}
        for row in self.structure:
            found.setdefault(row["message_id"], []).append(row)
        return found

    def home(self, message: Record) -> Record | None:
        """The structure row of the branch that the message was written in; others share it."""
        rows = self.places.get(message["id"])
        return min(rows, key=lambda row: _number(row["id"])) if rows else None


def shaped(columns: Mapping[str, frozenset[str]]) -> bool:
    return any(names >= MESSAGES for names in columns.values()) and any(
        _is_sessions(names) for names in columns.values()
    )


def on_server(columns: Mapping[str, frozenset[str]]) -> dict[str, tuple[str, ...]]:
    """SQLAlchemySession's two tables. Their foreign key is not looked at there."""
    messages = [name for name, own in columns.items() if own >= MESSAGES]
    sessions = [name for name, own in columns.items() if _is_sessions(own)]
    exact = [name for name in sessions if columns[name] == SESSIONS]
    sessions = sessions if len(sessions) == 1 else exact
    if len(messages) != 1 or len(sessions) != 1:
        found = ", ".join(sorted({*messages, *sessions}))
        raise Unsupported(
            "on a server one table of messages and one of sessions of the OpenAI Agents SDK are"
            f" read, here it could be several: {found}"
        )
    return dict.fromkeys((sessions[0], messages[0]), ("session_id",))


def heads(columns: Mapping[str, frozenset[str]], mapping: str | None) -> dict[str, tuple[str, ...]]:
    return {name: ("session_id",) for name, own in columns.items() if _is_sessions(own)}


def _is_sessions(names: frozenset[str]) -> bool:
    return names >= SESSIONS and "message_data" not in names


def all_tables(database: sqlite3.Connection) -> list[Tables]:
    names = [
        str(name)
        for (name,) in database.execute(
            "select name from sqlite_master where type = 'table' order by name"
        )
    ]
    columns = {name: frozenset(column_names(database, name)) for name in names}
    heads = [name for name in names if _is_sessions(columns[name])]
    found = []
    for name in names:
        if columns[name] >= MESSAGES:
            owner = _target(database, name, "session_id")
            sessions = next((head for head in heads if head.lower() == owner), None)
            if sessions is None and len(heads) == 1:
                sessions = heads[0]
            if sessions is not None:
                found.append(Tables(name, sessions, _variant(database, name, columns)))
    return found


def _variant(
    database: sqlite3.Connection, messages: str, columns: Mapping[str, frozenset[str]]
) -> str:
    if columns.get(STRUCTURE, frozenset()) >= STRUCTURED and (
        _target(database, STRUCTURE, "message_id") == messages.lower()
    ):
        return "advanced"
    if COPIED in columns:  # on servers there is no other, and the copy has not its index
        return "sqlalchemy"
    for (index,) in database.execute("select name from pragma_index_list(?)", (messages,)):
        rows = database.execute("select name from pragma_index_info(?)", (index,))
        if [name for (name,) in rows] == ["session_id", "created_at"]:
            return "sqlalchemy"
    return "sqlite"


def _target(database: sqlite3.Connection, table: str, column: str) -> str | None:
    """The table that a column points into, in lower case: SQLite takes names so."""
    sql = 'select "table" from pragma_foreign_key_list(?) where "from" = ? collate nocase'
    found = database.execute(sql, (table, column)).fetchone()
    return str(found[0]).lower() if found else None


def session_ids(database: sqlite3.Connection, tables: Tables) -> list[str]:
    """Every session that one of the two tables names."""
    database.text_factory = text
    union = " union ".join(
        f"select * from (select distinct session_id as id from {quoted(name)})"
        for name in (tables.sessions, tables.messages)
    )
    return [str(name) for (name,) in database.execute(f"{union} order by id") if name is not None]


def stored(database: sqlite3.Connection, tables: Tables, session: str) -> Stored:
    own: dict[str, Value] = {"session_id": session}
    heads = list(select(database, tables.sessions, own, "rowid"))
    messages = tuple(select(database, tables.messages, own, tables.order))
    structure: tuple[Record, ...] = ()
    if tables.variant == "advanced":
        structure = tuple(select(database, STRUCTURE, own, "sequence_number, id"))
    found = Stored(tables, session, heads[0] if heads else None, messages, structure)
    if tables.variant != "advanced":
        return found
    return Stored(tables, session, found.head, _as_sent(found), structure)


def _as_sent(found: Stored) -> tuple[Record, ...]:
    """By the number in the branch that a message was written in; those without one at the end."""
    homes = {message["id"]: found.home(message) for message in found.messages}

    def place(message: Record) -> tuple[bool, float, float]:
        home = homes[message["id"]]
        number = _number(home["sequence_number"]) if home else 0
        return home is None, number, _number(message["id"])

    return tuple(sorted(found.messages, key=place))


def _number(value: Value) -> float:
    return value if isinstance(value, int | float) else 0


def row_key(row: Record) -> str:
    name = row["id"]
    return f'{{"id":{name}}}' if type(name) is int else encoded({"id": name})
