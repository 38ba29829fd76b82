"""A chat's facts as rows of the canonical tables."""

from collections.abc import Iterator

import msgspec

from suture.model.files import Files
from suture.model.rows import (
    CallRow,
    DamageRow,
    PartRow,
    RecordRow,
    ResultRow,
    SessionRow,
    SourceRow,
    StateRow,
)
from suture.model.unit import Unit
from suture.stores._sink import Sink
from suture.stores._times import microseconds
from suture.stores.gemini.calls import Seat, call_row, result_row
from suture.stores.gemini.lines import ToolCall
from suture.stores.gemini.replay import Chat, Kept, Record, named, read_chat

NAME = "gemini"


def read(unit: Unit, files: Files, sink: Sink) -> None:
    path = unit.paths[0]
    try:
        data = files.data(path)
    except OSError as error:
        sink.add("source", SourceRow(unit.index, NAME, path, "jsonl"))
        detail = (error.strerror or str(error)).lower()
        damage = DamageRow(unit.index, path, "unreadable", None, None, None, detail, fixable=False)
        sink.add("damage", damage)
        return
    chat = read_chat(unit.index, path, data)
    key = sink.session_key()
    sink.add("source", SourceRow(unit.index, NAME, path, "jsonl", len(data), len(chat.records)))
    sink.add("session", _session(chat, key, unit.index))
    for damage in chat.damage:
        sink.add("damage", damage._replace(session=key))
    reach = {kept.n for kept in chat.kept.values()}
    for record in chat.records:
        sink.add("record", _record(chat, key, record, record.n in reach))
    for table, content in _content(chat, key, sink.full):
        sink.add(table, content)
    if chat.summary is not None:
        sink.add("state_kv", StateRow(key, None, "title", "summary", chat.summary))


def _session(chat: Chat, key: int, unit: int) -> SessionRow:
    header = chat.header
    models = [kept.message.model for kept in chat.kept.values() if kept.message.model]
    return SessionRow(
        session=key,
        unit=unit,
        store=NAME,
        id=f"{chat.parent}#{chat.id}" if chat.parent else chat.id,
        path=chat.path,
        kind="subagent" if chat.is_subagent else "main",
        name_id=named(chat.path, header),
        header_id=header.session_id if header else None,
        parent=chat.parent,
        created=microseconds(header.started) if header else None,
        model=models[-1] if models else None,
        client="gemini-cli",
        leaf=max((kept.n for kept in chat.kept.values()), default=None),
        meta_required=True,
    )


def _record(chat: Chat, key: int, record: Record, kept: bool) -> RecordRow:
    return RecordRow(
        session=key,
        n=record.n,
        kind=record.kind,
        type=record.type,
        line=record.line,
        offset=record.offset,
        length=record.length,
        id=record.id,
        parent=record.parent,
        time=record.time,
        group=record.id if kept else None,
        recovered=record.recovered,
        chained=record.chained,
        on_chain=record.on_chain,
        sent=kept and record.kind in ("prompt", "reply", "call"),
        problem=record.problem,
        detail=record.detail,
    )


def places(chat: Chat) -> Iterator[tuple[Kept, int, ToolCall | None]]:
    """Each message of the load with the part that its content is, then each of its calls: a call
    is one part, its result the next."""
    parts: dict[int, int] = {}
    for kept in chat.kept.values():
        part = parts.get(kept.n, 0)
        yield kept, part, None
        for number, call in enumerate(kept.message.calls or []):
            yield kept, part + 1 + 2 * number, call
        parts[kept.n] = part + 1 + 2 * len(kept.message.calls or [])


def _content(
    chat: Chat, key: int, full: bool
) -> Iterator[tuple[str, PartRow | CallRow | ResultRow]]:
    talk = [name for name, kept in chat.kept.items() if kept.message.type in ("user", "gemini")]
    for pos, (kept, part, call) in enumerate(places(chat)):
        n, message = kept.n, kept.message
        if call is None:
            yield "part", _part(key, n, part, "text", None, bytes(message.content), full)
            continue
        line = chat.records[kept.written].line
        last = not talk or talk[-1] == message.id
        seat = Seat(key, n, part, 2 * pos)
        yield "call", call_row(seat, call, message.id or "", last, line)
        yield "part", _part(key, n, part, "call", call.id, bytes(call.args), full)
        if (result := result_row(Seat(key, n, part + 1, 2 * pos + 1), call)) is not None:
            yield "result", result
            yield "part", _part(key, n, part + 1, "result", call.id, bytes(call.result), full)


def _part(
    key: int, n: int, part: int, kind: str, call_id: str | None, data: bytes, full: bool
) -> PartRow:
    if not full:
        return PartRow(key, n, part, kind, call_id)
    return PartRow(key, n, part, kind, call_id, len(data), _shown(data), data)


def _shown(data: bytes) -> str:
    """A text, or the texts of a list of parts; other JSON as it stands."""
    try:
        value = msgspec.json.decode(data) if data else ""
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        texts = [one.get("text") for one in value]
        if all(isinstance(text, str) for text in texts):
            return "".join(texts)
    return data.decode("utf-8", "replace")
