"""The rows that a Codex home keeps of a rollout, made to fit it or taken out to be made again.

Without rows a client reads a rollout anew when it resumes the thread, but only the newest file of
the thread, and up to 0.153 only while its ordinals are in order. Elsewhere the places are set.
"""

import posixpath
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing

from suture.model.edit import RowEdit, Value
from suture.model.errors import Unsupported
from suture.model.files import Files
from suture.stores._store import Translated
from suture.stores.codex import projection
from suture.stores.codex.actual import Actual, Place
from suture.stores.codex.home import home_of
from suture.stores.codex.lineage import referring
from suture.stores.codex.names import rollout_name
from suture.stores.codex.projection import CURSOR, ITEMS, PROJECTION, TURNS, Stored
from suture.stores.codex.target import Target

# Deleting the cursor's row deletes what belongs to real-time items by a trigger: it goes last.
_TABLES = ("thread_realtime_items", ITEMS, TURNS, CURSOR)
_DERIVED = frozenset({"item_json", "error_json"})  # long, and decided by the ordinals beside them
_KEYS = {"thread_realtime_items": ("item_id",), ITEMS: ("turn_id", "item_id"), TURNS: ("turn_id",)}


def reset(target: Target, files: Files) -> Translated:
    home, name = home_of(target.path), rollout_name(target.path)
    path = None if home is None else posixpath.join(home, PROJECTION)
    if path is None or name is None or not files.exists(path):
        raise Unsupported("the rollout stands in no Codex home with a projection")
    try:
        with closing(files.sqlite(path)) as connection:
            connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
            rows = _Rows(connection, path, name.rollout)
            found = projection.stored(connection, name.rollout)
            if found is None:
                raise Unsupported("the projection has no cursor of this rollout")
            edits = _edits(target, files, rows, found)
    except sqlite3.Error as error:
        raise Unsupported(f"the projection cannot be read: {error}") from error
    return Translated(tuple(edits), "envelope")


class _Rows:
    def __init__(self, connection: sqlite3.Connection, path: str, rollout: str) -> None:
        self._connection = connection
        self._path = path
        self._rollout = rollout

    def all(self, table: str) -> list[dict[str, Value]]:
        names = self._connection.execute(f"pragma table_info({table})").fetchall()
        kept = [str(row[1]) for row in names if row[1] not in _DERIVED]
        if "thread_id" not in kept:
            return []
        marks = ", ".join(f'"{name}"' for name in kept)
        sql = f"select {marks} from {table} where thread_id = ? order by rowid"
        rows = self._connection.execute(sql, (self._rollout,))
        return [dict(zip(kept, row, strict=True)) for row in rows]

    def edit(
        self, table: str, row: Mapping[str, Value], after: Mapping[str, Value] | None
    ) -> RowEdit:
        key = {"thread_id": self._rollout} | {name: row[name] for name in _KEYS.get(table, ())}
        return RowEdit(self._path, table, key, row, None if after is None else {**row, **after})


def _edits(target: Target, files: Files, rows: _Rows, found: Stored) -> Sequence[RowEdit]:
    actual = Actual(target.rollout)
    fits = projection.misplaced(found.cursor, actual) is None
    if fits and projection.wrong_turn(found, actual) is None:
        return _cursor(rows, _passable(found.cursor, actual))
    if not any(True for _ in referring(target.path, files)) and (
        actual.is_dense or not actual.stops
    ):
        return list(_deleted(rows))
    return list(_repointed(rows, found, actual))


def _deleted(rows: _Rows) -> Iterator[RowEdit]:
    for table in _TABLES:
        for row in rows.all(table):
            yield rows.edit(table, row, None)


def _cursor(rows: _Rows, place: Place) -> list[RowEdit]:
    after = {"next_rollout_byte_offset": place.offset, "next_rollout_ordinal": place.ordinal}
    return [rows.edit(CURSOR, row, after) for row in rows.all(CURSOR)]


def _passable(cursor: Place, actual: Actual) -> Place:
    """A place from which a client goes on. It may read again what it has read, never leave out."""
    n = actual.at(cursor.offset)
    if n is None:
        if actual.following is None:
            raise Unsupported("the ordinal of the next record is not sure")
        return Place(actual.following, cursor.offset)
    missed = actual.only(cursor.ordinal)
    if missed is not None and missed < n:
        return Place(cursor.ordinal, actual.offsets[missed])
    if not actual.is_fresh(n):
        raise Unsupported("the ordinals of the rollout have to be repaired first")
    return Place(actual.ordinals[n], cursor.offset)


def _repointed(rows: _Rows, found: Stored, actual: Actual) -> Iterator[RowEdit]:
    """Every place as it is now; from the highest ordinal down, for they are unique."""
    turns = found.turns or {}
    _check_known(found, actual)
    moved = {str(row["turn_id"]): row for row in rows.all(TURNS)}
    edits = []
    for id, turn in turns.items():
        start, end = actual.starts[id], actual.ends.get(id)
        after: dict[str, Value] = {
            "rollout_ordinal": start.ordinal,
            "rollout_byte_offset": start.offset,
        }
        if turn.end_offset is not None and end is not None:
            after |= {"rollout_end_ordinal": end.ordinal, "rollout_end_byte_offset": end.offset}
        if after.items() - moved[id].items():
            edits.append((turn.ordinal < start.ordinal, start.ordinal, moved[id], after))
    rising = sorted((e for e in edits if e[0]), key=lambda e: -e[1])
    falling = sorted((e for e in edits if not e[0]), key=lambda e: e[1])
    for _, _, row, after in [*rising, *falling]:
        yield rows.edit(TURNS, row, after)
    place = _known_place(found, actual)
    if place != found.cursor:
        yield from _cursor(rows, place)


def _check_known(found: Stored, actual: Actual) -> None:
    turns = found.turns or {}
    if any(turn.empty or id not in actual.starts for id, turn in turns.items()):
        raise Unsupported(
            "Codex would not make the rows of this rollout again: another one continues from it, "
            "or its ordinals are not in order"
        )


def _known_place(found: Stored, actual: Actual) -> Place:
    """Where the cursor stood, found by its ordinal; else where the last stored turn starts."""
    before = actual.only(found.cursor.ordinal - 1)
    if before is not None:
        return Place(found.cursor.ordinal, actual.after(before))
    starts = [actual.starts[id] for id in found.turns or {}]
    if not starts:
        raise Unsupported("no turn is stored that tells where the cursor stood")
    return max(starts, key=lambda place: place.ordinal)
