"""One session's rows as the canonical tables."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import pairwise
from typing import Any

from suture.model.answer import is_marked
from suture.model.edit import Value
from suture.model.rows import (
    CallRow,
    CompactionRow,
    DamageRow,
    EntryRow,
    PartRow,
    RecordRow,
    ResultRow,
    SessionRow,
    StateRow,
    StepRow,
    TurnRow,
)
from suture.stores._times import microseconds
from suture.stores.mapped.hashes import Hashed, hashed
from suture.stores.mapped.mapping import word_of
from suture.stores.mapped.message import SPOKEN, Call, Message, Problem, Reader, Result
from suture.stores.mapped.session import Entry, Session, Summary, entries, is_note
from suture.stores.mapped.stored import Record, Table, encoded, integer, string

NAME = "mapped"
_NEVER_STARTED = {
    "proposed": "its status says that it was proposed only",
    "awaiting": "its status says that an approval is pending",
    "denied": "its status says that it was denied",
}
_NOT_STORED = "the store does not say whether the tool was started"
_DISPATCHED = "its status says that it was started"

Out = Iterator[tuple[str, tuple[Any, ...]]]


@dataclass(slots=True)
class View:
    unit: int
    key: int
    path: str
    session: Session
    full: bool
    batches: dict[int, str] = field(default_factory=dict)  # n → what its calls share
    notes: list[int] = field(default_factory=list)

    def table(self, section: str) -> Table:
        return self.session.stored.tables[section]

    def place(self, section: str, row: Record) -> str:
        return encoded(self.table(section).key_of(row))


def rows(unit: int, key: int, path: str, session: Session, full: bool) -> Out:
    view = View(unit, key, path, session, full)
    view.batches = _batches(session)
    view.notes = [m.n for m in session.messages if is_note(m)]
    yield "session", _session(view)
    yield from _head(view)
    recipe = session.mapping.hash
    for message, hashes in zip(
        session.messages, hashed(recipe, session.stored.messages), strict=True
    ):
        yield from _message(view, message, hashes)
    if session.windowed:
        for pos, entry in enumerate(entries(session)):
            yield "context_entry", _entry(view, entry, pos)
    for summary in session.summaries:
        if summary.problem:
            problem = Problem("bad_shape", "covers", summary.problem)
            yield "damage", _damage(view, problem, "summary", summary.row, None)
    yield from _compactions(view)
    yield from _periods(view)


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
        status=word_of(table.states, value(table.status)) if table else None,
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


def head_column(view_session: Session) -> str | None:
    """The column of a message that the session's head names."""
    mapping = view_session.mapping
    if mapping.session is None or mapping.session.head is None:
        return None
    if mapping.session.head_names == "ordinal":
        return mapping.message.ordinal
    if mapping.session.head_names == "id":
        return mapping.message.id
    return mapping.hash.chain.column if mapping.hash and mapping.hash.chain else None


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


def _batches(session: Session) -> dict[int, str]:
    """Calls of one message, of one stored group, or of messages in a row that only call."""
    found: dict[int, str] = {}
    group = session.mapping.message.group
    run: str | None = None
    for message in session.messages:
        if group is not None:
            value = Reader(session.mapping, message.row).value(group)
            found[message.n] = str(value) if value is not None else f"message {message.n}"
        elif message.kind == "call":
            run = run or f"message {message.n}"
            found[message.n] = run
        else:
            run = None
    return found


def _message(view: View, message: Message, hashes: Hashed) -> Out:
    mapping = view.session.mapping.message
    for problem in message.problems:
        yield "damage", _damage(view, problem, "message", message.row, message.n)
    worst = message.problems[0] if message.problems else None
    payload = message.row[mapping.payload]
    yield (
        "record",
        RecordRow(
            session=view.key,
            n=message.n,
            kind=message.kind,
            type=message.type,
            length=len(_bytes(payload)),
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
            problem="shape" if worst else None,
            detail=worst.detail if worst else None,
        ),
    )
    yield from _parts(view, message)


def _status(view: View, message: Message) -> str | None:
    mapping = view.session.mapping
    stored = Reader(mapping, message.row).value(mapping.message.status)
    return word_of(mapping.message.states, stored)


def parts(message: Message) -> list[tuple[str, str | Call | Result]]:
    """The blocks of a message, numbered as everything else counts them."""
    text = [("reasoning" if message.kind == "reasoning" else "text", message.text)]
    return [
        *((kind, said) for kind, said in text if said is not None),
        *(("call", call) for call in message.calls),
        *(("result", result) for result in message.results),
    ]


def _parts(view: View, message: Message) -> Out:
    for number, (kind, what) in enumerate(parts(message)):
        if isinstance(what, Call):
            yield "part", _part(view, message, number, kind, what.raw, what.id)
            yield "call", _call(view, message, number, what)
        elif isinstance(what, Result):
            yield "part", _part(view, message, number, kind, what.raw, what.id)
            yield "result", _result(view, message, number, what)
        else:
            yield "part", _part(view, message, number, kind, what)


def _part(
    view: View, message: Message, number: int, kind: str, raw: object, call_id: str | None = None
) -> PartRow:
    data = _bytes(raw)
    shown = data.decode("utf-8", "replace") if view.full else None
    full = data if view.full else None
    return PartRow(view.key, message.n, number, kind, call_id, len(data), shown, full)


def _bytes(value: object) -> bytes:
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape")
    return b"" if value is None else encoded(value).encode()


def _text(value: Value) -> str | None:
    return None if value is None else str(value)


def _call(view: View, message: Message, number: int, call: Call) -> CallRow:
    never = _NEVER_STARTED.get(call.state or "")
    return CallRow(
        session=view.key,
        n=message.n,
        part=number,
        call_id=call.id,
        lane="main",
        pos=message.n,
        name=call.name,
        state=call.state,
        outcome="never_started" if never else "unknown",
        reason=never or (_DISPATCHED if call.state == "running" else _NOT_STORED),
        batch=view.batches.get(message.n, f"message {message.n}"),
        legal_open=_legal(view, message, call),
        malformed=call.malformed,
    )


def _legal(view: View, message: Message, call: Call) -> str | None:
    if call.state == "awaiting":
        return "it waits for an approval"
    if message.active is not False:
        return None
    later = next((note for note in view.notes if note > message.n), None)
    return (
        None if later is None else f"left out by the note at {view.session.messages[later].ordinal}"
    )


def _result(view: View, message: Message, number: int, result: Result) -> ResultRow:
    data = result.output.encode("utf-8", "surrogateescape")
    marked = is_marked(result.output)
    return ResultRow(
        session=view.key,
        n=message.n,
        part=number,
        call_id=result.id,
        lane="main",
        pos=message.n,
        status="error" if result.failed else None,
        placeholder=marked,
        marked=marked,
        digest=sha256(data).hexdigest()[:16],
        bytes=len(data),
    )


def _entry(view: View, entry: Entry, pos: int) -> EntryRow:
    message = entry.message
    if entry.summaries:
        row, section = entry.summaries[0].row, "summary"
    else:
        assert message is not None
        row, section = message.row, "message"
    ordinal = message.ordinal if message else entry.summaries[0].message
    is_summary = message is None or message.kind == "summary"
    return EntryRow(
        session=view.key,
        version=entry.version,
        pos=ordinal if ordinal is not None else -1 - pos,
        n=message.n if message and not is_summary else None,
        kind="summary" if is_summary else "original",
        current=entry.version is None or entry.version <= (view.session.version or 0),
        original_seqs=list(entry.originals) if entry.originals is not None else None,
        call_ids=[call.id for call in message.calls] if message else [],
        result_id=message.results[0].id if message and message.results else None,
        table=view.table(section).name,
        key=view.place(section, row),
    )


def _compactions(view: View) -> Out:
    session = view.session
    if not session.messages:
        return
    sent = sum(1 for message in session.messages if session.is_sent(message))
    for number, summary in enumerate(session.summaries, 1):
        own = session.by_ordinal.get(summary.message) if summary.message is not None else None
        boundary = own.n if own else _last_covered(session, summary)
        before = [m for m in session.messages[:boundary] if m.kind in SPOKEN]
        yield (
            "compaction",
            CompactionRow(
                session=view.key,
                number=number,
                n=boundary,
                summary_n=own.n if own else None,
                needs_summary=True,
                version=summary.version,
                kept=sent if summary.version == session.version else None,
                talk_before=len(before),
            ),
        )


def _last_covered(session: Session, summary: Summary) -> int:
    known = [session.by_ordinal[o].n for o in summary.covers if o in session.by_ordinal]
    return max(known, default=len(session.messages) - 1)


def _periods(view: View) -> Out:
    """Turns run from one prompt to the next; a reply without calls completes one."""
    messages = view.session.messages
    starts = [m.n for m in messages if m.kind == "prompt"]
    for number, (start, stop) in enumerate(pairwise([*starts, len(messages)])):
        last = messages[stop - 1]
        done = last.kind == "reply"
        status = "complete" if done else "open"
        yield "turn", TurnRow(view.key, number, None, start, last.n if done else None, status)
    turn, step = -1, 0
    for message in messages:
        if message.kind == "prompt":
            turn += 1
        elif message.kind in ("reply", "call"):
            row = StepRow(view.key, step, None, max(turn, 0), message.n, message.n)
            yield "step", row if turn >= 0 else row._replace(turn=None)
            step += 1


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
