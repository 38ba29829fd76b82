"""One session's rows as the canonical tables. What the model does not see is a lane of its own."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from suture.model.rows import SessionRow
from suture.stores._line import counted
from suture.stores._piece_view import View, damage, place, talk
from suture.stores._pieces import Problem, loaded, string
from suture.stores._tables import encoded
from suture.stores._times import microseconds
from suture.stores.goose.message import HIDDEN, confirmations, decisions
from suture.stores.goose.tables import MESSAGES, SESSIONS, Stored

_JSON = (
    "extension_data",
    "recipe_json",
    "user_recipe_values_json",
    "model_config_json",
    "parent_delegation",
)
_ASKED = "a person is asked to approve it"
_UNSEEN = "the model does not see it any more"

Out = Iterator[tuple[str, tuple[Any, ...]]]


def rows(unit: int, key: int, path: str, stored: Stored, full: bool) -> Out:
    yield "session", _session(unit, key, path, stored)
    for problem, table, row_key in _problems(stored):
        yield "damage", damage(unit, path, problem, table, row_key, key)
    columns = ("created_timestamp", "content_json")
    view = View(unit, key, path, MESSAGES, *columns, stored.messages, _allowed(stored), full)
    yield from talk(view)


def _session(unit: int, key: int, path: str, stored: Stored) -> SessionRow:
    head = stored.head
    seen = [n for n, one in enumerate(stored.messages) if one.lane == "main"]
    return SessionRow(
        session=key,
        unit=unit,
        store="goose",
        id=stored.id,
        path=path,
        variant=f"schema {stored.version}" if stored.version is not None else None,
        header_id=stored.id if head else None,
        parent=string(head.get("parent_session_id")) if head else None,
        created=microseconds(head.get("created_at")) if head else None,
        cwd=string(head["working_dir"]) if head else None,
        client="goose",
        leaf=seen[-1] if seen else None,
        meta_required=head is None,
        table=SESSIONS if head else None,
        key=encoded({"id": stored.id}) if head else None,
    )


def _problems(stored: Stored) -> Iterator[tuple[Problem, str, str]]:
    if stored.head is None and stored.messages:
        messages = counted(len(stored.messages), "message is", "messages are")
        said = f"{messages} of a session that has no row"
        one = Problem("foreign_key", "session_id", said)
        yield one, MESSAGES, place(stored.messages[0].row)
    for column in _JSON:
        value = stored.head.get(column) if stored.head else None
        problem = loaded(value, column)[1] if value not in (None, "") else None
        if problem is not None:  # the row stays: the session hangs on it
            yield replace(problem, fixable=False), SESSIONS, encoded({"id": stored.id})


def _allowed(stored: Stored) -> Mapping[tuple[int, str], str]:
    """Calls that nobody has to answer: unseen ones, and those that wait for a person's word."""
    asked, decided = set[str](), set[str]()
    for one in reversed(stored.messages):
        if one.kind == "prompt" and one.lane == "main":
            break  # the person went on without giving it
        decided |= decisions(one)
        asked |= confirmations(one) - decided
    found: dict[tuple[int, str], str] = {}
    for n, one in enumerate(stored.messages):
        for call_id in one.calls:
            if one.lane == HIDDEN:
                found[n, call_id] = _UNSEEN
            elif call_id in asked:
                found[n, call_id] = _ASKED
    return found
