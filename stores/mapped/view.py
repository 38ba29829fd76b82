"""One session's rows as the canonical tables."""

from collections.abc import Iterator

from suture.model.edit import Value
from suture.model.rows import DamageRow, SessionRow, StateRow
from suture.stores._rows import add_columns
from suture.stores._sink import Sink
from suture.stores._tables import row_damage
from suture.stores._times import each_microseconds, microseconds
from suture.stores.mapped.blocks import batches, blocks, sizes_of
from suture.stores.mapped.calls import Problem
from suture.stores.mapped.hashes import hashed
from suture.stores.mapped.mapping import MappingFile, state_of
from suture.stores.mapped.periods import compactions, periods, window
from suture.stores.mapped.reader import Reader
from suture.stores.mapped.rows import TOGETHER, Record, Rows
from suture.stores.mapped.session import Session, is_note
from suture.stores.mapped.stored import integer, string
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
    stored = session.stored.messages.column(column)
    same = (n for n in reversed(range(len(stored))) if str(stored[n]) == str(named))
    return next(same, None)


def _head(view: View) -> Iterator[StateRow]:
    head, table = view.session.stored.head, view.session.mapping.session
    column = head_column(view.session)
    if head is None or table is None or table.head is None or column is None:
        return
    named = head[table.head]
    if named not in (None, "") and view.session.messages:
        yield StateRow(view.key, None, "head", table.head, str(named))


def _messages(view: View, sink: Sink) -> None:
    session, mapping = view.session, view.session.mapping
    messages, rows, table = session.messages, session.stored.messages, mapping.message
    if not messages:
        return
    view.places = view.table("message").places_of(rows)
    problems: list[str | None] = [None] * len(messages)
    details: list[str | None] = [None] * len(messages)
    for message in messages:
        for problem in message.problems:
            sink.add("damage", _damage(view, problem, "message", message.row, message.n))
            if problem.kind == "bad_shape" and not problems[message.n]:
                problems[message.n], details[message.n] = "shape", problem.detail
    columns = {
        "n": list(range(len(messages))),
        "kind": [message.kind for message in messages],
        "type": [message.type for message in messages],
        "length": sizes_of(rows.column(table.payload)),
        "key": view.places,
        "id": [_text(value) for value in rows.column(table.id)] if table.id else None,
        "ordinal": [message.ordinal for message in messages],
        "time": each_microseconds(rows.column(table.time)) if table.time else None,
        "group": view.batches,
        "sent": list(session.sent),
        **hashed(mapping.hash, rows)._asdict(),
        "status": _statuses(mapping, rows),
        "problem": problems,
        "detail": details,
    }
    add_columns(sink, "record", columns, session=view.key, table=table.table)
    blocks(view, sink)


def _statuses(mapping: MappingFile, rows: Rows) -> list[str | None] | None:
    table, found = mapping.message, list[str | None]()
    if table.status is None:
        return None
    for _, some in rows.parts(TOGETHER):
        stored = Reader(mapping, some).column(table.status)
        found += [state_of(table, value) for value in stored]
    return found


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
