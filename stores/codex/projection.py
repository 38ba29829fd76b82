"""Whether the turns that a Codex home shows of a rollout are those that stand in it.

`thread_history_1.sqlite` holds a row a turn, with the bytes where it starts and ends, and a cursor:
what follows it has not been read yet. A client reads on from the cursor and never looks back.
"""

import sqlite3
from collections.abc import Iterator, Mapping

from msgspec import Struct

from suture.stores.codex.actual import Actual, Place
from suture.stores.codex.names import rollout_name
from suture.stores.codex.rollout import Rollout

PROJECTION = "thread_history_1.sqlite"
CURSOR, TURNS, ITEMS = "thread_history_projection_state", "thread_turns", "thread_items"
_CURSOR = ("next_rollout_byte_offset", "next_rollout_ordinal")
_TURN = (
    "turn_id",
    "rollout_ordinal",
    "rollout_byte_offset",
    "rollout_end_ordinal",
    "rollout_end_byte_offset",
    "first_user_item_id",
)
ASKED = {
    CURSOR: ("thread_id", *_CURSOR),
    TURNS: ("thread_id", *_TURN),
    ITEMS: ("thread_id", "turn_id"),
}


class Shown(Struct, frozen=True):
    """A turn as it is stored."""

    id: str
    ordinal: int
    offset: int | None
    end_ordinal: int | None
    end_offset: int | None
    empty: bool  # an item of it is named, and none is there


class Stored(Struct, frozen=True):
    cursor: Place
    turns: Mapping[str, Shown] | None  # None: a version that stores no places of turns


def stored(connection: sqlite3.Connection, rollout: str) -> Stored | None:
    known = {row[1] for row in connection.execute(f"pragma table_info({CURSOR})")}
    if not {"thread_id", *_CURSOR} <= known:
        return None
    sql = f"select {', '.join(_CURSOR)} from {CURSOR} where thread_id = ?"
    row = connection.execute(sql, (rollout,)).fetchone()
    if row is None or not all(isinstance(value, int) for value in row):
        return None
    known = {row[1] for row in connection.execute(f"pragma table_info({TURNS})")}
    turns = None
    if {"thread_id", *_TURN} <= known:
        turns = {turn.id: turn for turn in _turns(connection, rollout)}
    return Stored(Place(row[1], row[0]), turns)


def _turns(connection: sqlite3.Connection, rollout: str) -> Iterator[Shown]:
    with_items = {
        row[0]
        for row in connection.execute(
            f"select distinct turn_id from {ITEMS} where thread_id = ?", (rollout,)
        )
    }
    sql = f"select {', '.join(_TURN)} from {TURNS} where thread_id = ? order by rollout_ordinal"
    for id, at, offset, end, end_offset, first_item in connection.execute(sql, (rollout,)):
        yield Shown(
            id, at, offset, end, end_offset, first_item is not None and id not in with_items
        )


def faults(
    connection: sqlite3.Connection, rollout: Rollout
) -> Iterator[tuple[str, str, str | None]]:
    name = rollout_name(rollout.path)
    found = None if name is None else stored(connection, name.rollout)
    if found is None:
        return
    actual = Actual(rollout)
    wrong = misplaced(found.cursor, actual) or wrong_turn(found, actual)
    wrong = wrong or wrong_ordinal(found.cursor, actual)
    if wrong is not None:
        yield "projection", "stuck", wrong
    elif found.cursor.offset < actual.size:
        where = f"the cursor stands at {found.cursor.offset} of {actual.size} bytes"
        yield "projection", "behind", where


def misplaced(cursor: Place, actual: Actual) -> str | None:
    """Why no record starts at the cursor."""
    offset, size = cursor.offset, actual.size
    if offset > size:
        return f"the cursor stands at {offset}, the file ends at {size}"
    if offset and actual.rollout.data[offset - 1] != 0x0A:
        return f"the cursor stands at {offset}, inside a line"
    return None


def wrong_turn(found: Stored, actual: Actual) -> str | None:
    """What is stored of a turn and is not so. A turn that the rollout does not start, or starts
    twice, is not judged."""
    if found.turns is None:
        return None
    for id, turn in found.turns.items():
        start, end = actual.starts.get(id), actual.ends.get(id)
        if start is not None and turn.offset is not None and turn.offset != start.offset:
            return f"turn {id} is stored at byte {turn.offset}, it starts at {start.offset}"
        if start is not None and turn.ordinal != start.ordinal:
            return f"turn {id} is stored at ordinal {turn.ordinal}, it starts at {start.ordinal}"
        if end is not None and turn.end_offset not in (None, end.offset):
            return f"turn {id} is stored up to byte {turn.end_offset}, it ends at {end.offset}"
        if turn.empty:
            return f"turn {id} is stored without its items"
    return _passed_over(found.cursor, found.turns, actual)


def _passed_over(cursor: Place, turns: Mapping[str, Shown], actual: Actual) -> str | None:
    meta = actual.rollout.header.payload
    if meta.parent_thread_id or meta.thread_source == "subagent":
        return None  # turns that a subagent has from its parent are not its own
    for id, start in actual.starts.items():
        if start.offset < cursor.offset and id not in turns:
            return f"turn {id} is not stored, and the cursor is behind its start"
    return None


def wrong_ordinal(cursor: Place, actual: Actual) -> str | None:
    """Why the record at the cursor is not taken, or taken for another one."""
    n = actual.at(cursor.offset)
    if n is None:
        return _wrong_next(cursor, actual)
    ordinal, offset = actual.ordinals[n], actual.offsets[n]
    if ordinal == cursor.ordinal or not (actual.stops or actual.follows(n)):
        return None
    between = range(cursor.offset, offset)
    lost = {row.line for row in actual.unread if row.offset in between}
    if cursor.ordinal < ordinal <= cursor.ordinal + len(lost):
        return None
    return f"the cursor expects ordinal {cursor.ordinal} and finds {ordinal}"


def _wrong_next(cursor: Place, actual: Actual) -> str | None:
    """At the end of the file, where a client will go on."""
    following = actual.following
    if following is None or cursor.ordinal == following:
        return None
    if cursor.ordinal < following and not actual.stops:
        return None
    return f"the cursor expects ordinal {cursor.ordinal}, the next record will have {following}"
