"""One session's rows as the canonical tables."""

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from suture.model.rows import CompactionRow, SessionRow, StateRow
from suture.stores._line import counted
from suture.stores._piece_view import View, damage, place, talk
from suture.stores._pieces import Problem, string
from suture.stores._tables import encoded
from suture.stores._times import microseconds
from suture.stores.crush.tables import MESSAGES, SESSIONS, Stored

COUNT = "message_count"

Out = Iterator[tuple[str, tuple[Any, ...]]]


def rows(unit: int, key: int, path: str, stored: Stored, full: bool) -> Out:
    yield "session", _session(unit, key, path, stored)
    if stored.head is not None:
        kept, found = stored.head[COUNT], len(stored.messages)
        yield "state_kv", StateRow(key, None, "count", COUNT, f"{str(kept).split(' ')[0]} {found}")
    for problem, table, row_key in _references(stored):
        yield "damage", damage(unit, path, problem, table, row_key, key)
    first = stored.summary or 0  # what stands before the summary is not sent
    messages = [
        one if n >= first else replace(one, sent=False) for n, one in enumerate(stored.messages)
    ]
    yield from talk(View(unit, key, path, MESSAGES, "created_at", "parts", messages, {}, full))
    summaries = (n for n, one in enumerate(stored.messages) if one.kind == "summary")
    for number, n in enumerate(summaries, 1):
        yield "compaction", CompactionRow(key, number, n, summary_n=n, talk_before=n)


def _session(unit: int, key: int, path: str, stored: Stored) -> SessionRow:
    head = stored.head
    last = next((m for m in reversed(stored.messages) if m.row.get("model")), None)
    return SessionRow(
        session=key,
        unit=unit,
        store="crush",
        id=stored.id,
        path=path,
        header_id=stored.id if head else None,
        parent=string(head["parent_session_id"]) if head else None,
        created=microseconds(head.get("created_at")) if head else None,
        model=string(last.row.get("model")) if last else None,
        client="crush",
        leaf=len(stored.messages) - 1 if stored.messages else None,
        meta_required=head is None,
        table=SESSIONS if head else None,
        key=encoded({"id": stored.id}) if head else None,
    )


def _references(stored: Stored) -> Iterator[tuple[Problem, str, str]]:
    if stored.head is None and stored.messages:
        messages = counted(len(stored.messages), "message is", "messages are")
        said = f"{messages} of a session that has no row"
        one = Problem("foreign_key", "session_id", said)
        yield one, MESSAGES, place(stored.messages[0].row)
    if stored.summary_id is None:
        return
    key = encoded({"id": stored.id})
    if stored.summary is None:
        said = "summary_message_id names a message that the session does not have"
        yield Problem("foreign_key", "summary_message_id", said), SESSIONS, key
    elif stored.messages[stored.summary].row.get("is_summary_message") == 0:
        said = "summary_message_id names a message that is no summary"
        yield Problem("bad_shape", "summary_message_id", said), SESSIONS, key
