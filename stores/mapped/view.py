"""One session's rows as the canonical tables."""

from collections.abc import Iterator
from typing import Any

from suture.model.edit import Value
from suture.model.rows import DamageRow, SessionRow, StateRow
from suture.stores._rows import add_rows
from suture.stores._sink import Sink
from suture.stores._tables import row_damage
from suture.stores._times import microseconds
from suture.stores.mapped.blocks import PART, batches, blocks, size_of
from suture.stores.mapped.hashes import hashed
from suture.stores.mapped.mapping import state_of
from suture.stores.mapped.message import Message, Problem, Reader
from suture.stores.mapped.periods import compactions, periods, window
from suture.stores.mapped.session import Session, is_note
from suture.stores.mapped.stored import Record, integer, string
from suture.stores.mapped.viewing import View, head_column

NAME = "mapped"


def fill(unit: int, key: int, path: str, session: Session, sink: Sink) -> None:
    view = View(unit, key, path, session, sink.full)
    view.batches = batches(session)
    view.notes = [m.n for m in session.messages if is_note(m)]
    sink.add("session", _session(view))
    for row in _head(view):
        sink.add("state_kv", row)
    _messages(view, sink)
    window(view, sink)
    for summary in session.summaries:
        if summary.problem:
            problem = Problem("bad_shape", "covers", summary.problem)
            sink.add("damage", _damage(view, problem, "summary", summary.row, None))
    for compaction in compactions(view):
        sink.add("compaction", compaction)
    periods(view, sink)


def _session(view: View) -> SessionRow:
    mapping, stored = view.session.mapping, view.session.stored
    table, head = mapping.session, stored.head

    def value(column: str | None) -> Value:
        return head[column] if head is not None and column is not None else None

    closed = value(table.closed) if table else None
    return SessionRow(
        session=view.key,
        unit=view.unit,
        store=NAME,
        id=stored.id,
        path=view.path,
        header_id=stored.id if head is not None else None,
        parent=string(value(table.parent)) if table else None,
        created=microseconds(value(table.created)) if table else None,
        cwd=string(value(table.cwd)) if table else None,
        model=string(value(table.model)) if table else None,
        client=mapping.name,
        status=state_of(table, value(table.status)) if table else None,
        closed=closed not in (None, "", 0) if table and table.closed and head else None,
        counter=integer(value(table.counter)) if table else None,
        context_version=view.session.version,
        leaf=_leaf(view),
        numbered=mapping.message.dense,
        first_ordinal=mapping.message.first,
        meta_required=table is not None and head is None,
        table=table.table if table and head else None,
        key=view.place("session", head) if head else None,
    )


def _leaf(view: View) -> int | None:
    session = view.session
    column = head_column(session)
    if column is None or session.stored.head is None or session.mapping.session is None:
        return len(session.messages) - 1 if session.messages else None
    named = session.stored.head[session.mapping.session.head or ""]
    if named in (None, ""):
        return len(session.messages) - 1 if session.messages else None
    same = (m.n for m in reversed(session.messages) if str(m.row[column]) == str(named))
    return next(same, None)


def _head(view: View) -> Iterator[StateRow]:
    head, table = view.session.stored.head, view.session.mapping.session
    column = head_column(view.session)
    if head is None or table is None or table.head is None or column is None:
        return
    named = head[table.head]
    if named not in (None, "") and view.session.messages:
        yield StateRow(view.key, None, "head", table.head, str(named))


_RECORD = (
    *("n", "kind", "type", "length", "key", "id", "ordinal", "time", "group", "sent"),
    *("hash", "computed", "chain_hash", "chain_computed", "prev", "status", "problem", "detail"),
)


def _messages(view: View, sink: Sink) -> None:
    session, mapping, batch_of = view.session, view.session.mapping.message, view.batches
    records: list[tuple[Any, ...]] = []
    parts: list[tuple[Any, ...]] = []
    for message, hashes in zip(
        session.messages, hashed(session.mapping.hash, session.stored.messages), strict=True
    ):
        row, n, odd = message.row, message.n, None
        for problem in message.problems:
            sink.add("damage", _damage(view, problem, "message", row, n))
            if problem.kind == "bad_shape":
                odd = odd or problem
        place = view.place("message", row)
        view.places.append(place)
        records.append(
            (
                *(n, message.kind, message.type, size_of(row[mapping.payload]), place),
                _text(row[mapping.id]) if mapping.id else None,
                message.ordinal,
                microseconds(row[mapping.time]) if mapping.time else None,
                *(batch_of.get(n), session.is_sent(message), *hashes, _status(view, message)),
                "shape" if odd else None,
                odd.detail if odd else None,
            )
        )
        blocks(view, message, parts, sink)
    add_rows(sink, "record", _RECORD, records, session=view.key, table=mapping.table)
    add_rows(sink, "part", PART, parts, session=view.key)


def _status(view: View, message: Message) -> str | None:
    mapping = view.session.mapping
    if mapping.message.status is None:
        return None
    stored = Reader(mapping, message.row).value(mapping.message.status)
    return state_of(mapping.message, stored)


def _text(value: Value) -> str | None:
    return None if value is None else str(value)


def _damage(view: View, problem: Problem, section: str, row: Record, n: int | None) -> DamageRow:
    return row_damage(
        view.unit,
        view.path,
        problem.kind,
        problem.detail,
        session=view.key,
        n=n,
        field=problem.field,
        fixable=False,
        table=view.table(section).name,
        key=view.place(section, row),
    )
