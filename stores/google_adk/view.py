"""One session's rows as the canonical tables."""

from collections.abc import Iterator
from typing import Any

from suture.model.edit import Value
from suture.model.rows import DamageRow, SessionRow
from suture.stores._rows import add_columns, add_rows
from suture.stores._sink import Sink
from suture.stores._tables import encoded, row_damage
from suture.stores.google_adk.clock import micros
from suture.stores.google_adk.event import Problem, state_problems
from suture.stores.google_adk.periods import TURN, compactions, head_behind, range_problems, turns
from suture.stores.google_adk.session import Session
from suture.stores.google_adk.tables import EVENTS, SESSIONS, Stored, event_places

_UNKNOWN = "the store does not record whether a tool was started"
_REWOUND = "a later rewind took it back"


def fill(unit: int, key: int, path: str, stored: Stored, sink: Sink) -> None:
    session = Session(stored, sink.full)
    places = event_places(stored)
    sink.add("session", _session(unit, key, path, stored))
    for row in _damage(unit, key, path, session, places):
        sink.add("damage", row)
    _records(session, key, places, sink)
    _tools(session, key, sink)
    add_rows(sink, "turn", TURN, turns(session), session=key)
    for compaction in compactions(key, session):
        sink.add("compaction", compaction)
    for behind in head_behind(key, session):
        sink.add("state_kv", behind)


def _session(unit: int, key: int, path: str, stored: Stored) -> SessionRow:
    head, count = stored.head, len(stored.rows)
    own = dict(zip(("app_name", "user_id", "id"), stored.key, strict=True))
    return SessionRow(
        session=key,
        unit=unit,
        store="google-adk",
        id=stored.id,
        path=path,
        variant=stored.variant,
        header_id=stored.key[2] if head else None,
        created=micros(head.get("create_time")) if head else None,
        client="google-adk",
        leaf=count - 1 if count else None,
        meta_required=head is None,
        table=SESSIONS if head else None,
        key=encoded(own) if head else None,
    )


_FROM_MODEL = ("reply", "call", "reasoning")


def _records(session: Session, key: int, places: list[str], sink: Sink) -> None:
    kinds, ids, gone, of_user = session.kinds, session.ids, session.rewound, session.of_user
    odd = {
        n: next((problem.detail for problem in found if problem.kind == "bad_shape"), None)
        for n, found in session.problems.items()
    }
    events = list(enumerate(kinds))
    types = {kind: f"event/{kind}" for kind in set(kinds)}
    columns: dict[str, Any] = {
        "n": list(range(len(kinds))),
        "kind": kinds,
        "type": [types[kind] for kind in kinds],
        "length": [
            len(data) if isinstance(data, str) and data.isascii() else _size(data)
            for data in session.stored.column("event_data")
        ],
        "key": places,
        "id": ids,
        "time": session.times,
        "group": [
            ids[n] if kind in _FROM_MODEL and n not in of_user else None for n, kind in events
        ],
        "turn": session.invocations,
        "on_chain": [n not in gone for n, _ in events] if gone else True,
        "sent": [kind != "scalar" and n not in gone for n, kind in events]
        if gone or "scalar" in types
        else True,
        "problem": ["shape" if odd.get(n) else None for n, _ in events] if odd else None,
        "detail": [odd.get(n) for n, _ in events] if odd else None,
    }
    add_columns(sink, "record", columns, session=key, table=EVENTS)


def _size(data: Value) -> int:
    return len(str(data or "").encode("utf-8", "replace"))


_CALL = ("n", "part", "call_id", "pos", "name", "batch", "legal_open", "malformed")
_RESULT = ("n", "part", "call_id", "pos", "placeholder", "marked", "digest", "bytes")
_PART = ("n", "part", "type", "call_id", "bytes", "text", "data")


def _tools(session: Session, key: int, sink: Sink) -> None:
    taken_back = dict.fromkeys(session.rewound, _REWOUND)
    calls = [
        (*(n, part, id, n, name), session.ids[n], waits or taken_back.get(n), malformed)
        for n, part, id, name, waits, malformed in session.calls
    ]
    results = [
        (n, part, id, n, marked, marked, digest, size)
        for n, part, id, marked, digest, size in session.results()
    ]
    add_rows(sink, "call", _CALL, calls, session=key, lane="main", reason=_UNKNOWN)
    add_rows(sink, "result", _RESULT, results, session=key, lane="main")
    add_rows(sink, "part", _PART, session.parts, session=key)


def _damage(
    unit: int, key: int, path: str, session: Session, places: list[str]
) -> Iterator[DamageRow]:
    found = {n: list(problems) for n, problems in session.problems.items()}
    if session.stored.head is None and places:
        why = "events name a session that has no row"
        found[0] = [Problem("foreign_key", "session_id", why), *found.get(0, ())]
    head = session.stored.head
    for problem in state_problems(head) if head is not None else ():
        yield row_damage(
            unit,
            path,
            problem.kind,
            problem.detail,
            session=key,
            field=problem.field,
            fixable=False,
            table=SESSIONS,
            key=encoded(session.stored.head_key),
        )
    for n in session.compactions:
        found[n] = [*found.get(n, ()), *range_problems(session, n)]
    for n, problems in sorted(found.items()):
        for problem in problems:
            yield row_damage(
                unit,
                path,
                problem.kind,
                problem.detail,
                session=key,
                n=n,
                field=problem.field,
                fixable=problem.fixable,
                fill=problem.fill,
                table=EVENTS,
                key=places[n],
            )
