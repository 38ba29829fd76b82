"""One session's rows as the canonical tables."""

from suture.model.edit import Value
from suture.model.rows import DamageRow, RecordRow, SessionRow, StateRow
from suture.stores._times import microseconds
from suture.stores.mapped.blocks import batches, block_rows, bytes_of
from suture.stores.mapped.hashes import Hashed, hashed
from suture.stores.mapped.mapping import state_of
from suture.stores.mapped.message import Message, Problem, Reader
from suture.stores.mapped.periods import compactions, periods, window
from suture.stores.mapped.session import Session, is_note
from suture.stores.mapped.stored import Record, integer, string
from suture.stores.mapped.viewing import Out, View, head_column

NAME = "mapped"


def rows(unit: int, key: int, path: str, session: Session, full: bool) -> Out:
    view = View(unit, key, path, session, full)
    view.batches = batches(session)
    view.notes = [m.n for m in session.messages if is_note(m)]
    yield "session", _session(view)
    yield from _head(view)
    recipe = session.mapping.hash
    for message, hashes in zip(
        session.messages, hashed(recipe, session.stored.messages), strict=True
    ):
        yield from _message(view, message, hashes)
    yield from window(view)
    for summary in session.summaries:
        if summary.problem:
            problem = Problem("bad_shape", "covers", summary.problem)
            yield "damage", _damage(view, problem, "summary", summary.row, None)
    yield from compactions(view)
    yield from periods(view)


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


def _head(view: View) -> Out:
    head, table = view.session.stored.head, view.session.mapping.session
    column = head_column(view.session)
    if head is None or table is None or table.head is None or column is None:
        return
    named = head[table.head]
    if named not in (None, "") and view.session.messages:
        yield "state_kv", StateRow(view.key, None, "head", table.head, str(named))


def _message(view: View, message: Message, hashes: Hashed) -> Out:
    mapping = view.session.mapping.message
    for problem in message.problems:
        yield "damage", _damage(view, problem, "message", message.row, message.n)
    odd = next((p for p in message.problems if p.kind == "bad_shape"), None)
    payload = message.row[mapping.payload]
    yield (
        "record",
        RecordRow(
            session=view.key,
            n=message.n,
            kind=message.kind,
            type=message.type,
            length=len(bytes_of(payload)),
            table=mapping.table,
            key=view.place("message", message.row),
            id=_text(message.row[mapping.id]) if mapping.id else None,
            ordinal=message.ordinal,
            time=microseconds(message.row[mapping.time]) if mapping.time else None,
            group=view.batches.get(message.n),
            sent=view.session.is_sent(message),
            hash=hashes.hash,
            computed=hashes.computed,
            chain_hash=hashes.chain_hash,
            chain_computed=hashes.chain_computed,
            prev=hashes.prev,
            status=_status(view, message),
            problem="shape" if odd else None,
            detail=odd.detail if odd else None,
        ),
    )
    yield from block_rows(view, message)


def _status(view: View, message: Message) -> str | None:
    mapping = view.session.mapping
    if mapping.message.status is None:
        return None
    stored = Reader(mapping, message.row).value(mapping.message.status)
    return state_of(mapping.message, stored)


def _text(value: Value) -> str | None:
    return None if value is None else str(value)


def _damage(view: View, problem: Problem, section: str, row: Record, n: int | None) -> DamageRow:
    return DamageRow(
        unit=view.unit,
        path=view.path,
        kind=problem.kind,
        line=None,
        offset=None,
        length=None,
        detail=problem.detail,
        session=view.key,
        n=n,
        field=problem.field,
        fixable=False,
        table=view.table(section).name,
        key=view.place(section, row),
    )
