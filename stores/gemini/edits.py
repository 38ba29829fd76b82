"""Operations as bytes of a chat: it grows at its end, and only damaged bytes are changed."""

from collections.abc import Sequence

import msgspec
from msgspec import Raw

from suture.model.answer import answer_text, note_text
from suture.model.edit import SpanEdit
from suture.model.errors import Unsupported
from suture.model.files import Files
from suture.model.operation import Answer, DropPart, Note, Operation, Outcome, Truncate
from suture.model.unit import Unit
from suture.stores._byte_edits import byte_edits
from suture.stores._store import Translated
from suture.stores._times import a_moment_later
from suture.stores.gemini.lines import ToolCall, items, members
from suture.stores.gemini.replay import Chat, Kept, read_chat
from suture.stores.gemini.tables import places

_ORDER = "the order of the lines is the order of the messages"
_NO_NUMBERS = "messages have no number"
_ADDS = Answer | DropPart | Note | Truncate
SUPPORTS = {
    "Answer": "yes",
    "Restore": "no record of a chat proves an outcome elsewhere",
    "Drop": "a chat only grows; a message leaves it by going back to it",
    "DropPart": "yes",
    "ResultsFirst": "the result stands in the call",
    "Note": "yes",
    "Truncate": "yes",
    "Quarantine": "yes",
    "Cut": "yes",
    "Split": "yes",
    "Replace": "yes",
    "Reparent": "messages have no parent; where the chat should go back to is not known",
    "Rekey": "a message with a fresh id would be a second message",
    "RekeyCall": "the result stands in the call, no id pairs them",
    "Renumber": _NO_NUMBERS,
    "Blank": "a chat only grows",
    "Move": _ORDER,
    "SetState": "a chat has no state but that of its calls",
    "SetCounter": _NO_NUMBERS,
    "NewWindow": "a chat has no context window",
    "Rebuild": "the hash of the project is in the header alone",
}


def edits(unit: Unit, files: Files, operations: Sequence[Operation]) -> list[Translated]:
    """All lines that are added come with the first operation that adds one."""
    path = unit.paths[0]
    try:
        data = files.data(path)
    except OSError as error:
        raise Unsupported(f"the chat cannot be read: {error.strerror or error}") from error
    adds = [operation for operation in operations if isinstance(operation, _ADDS)]
    made: list[Translated] = []
    done = False
    for operation in operations:
        if isinstance(operation, _ADDS):
            made.append(Translated((), "append") if done else _added(unit, data, adds))
            done = True
            continue
        translated = byte_edits(path, data, operation)
        if translated is None:
            reason = SUPPORTS[type(operation).__name__]
            raise Unsupported(reason if reason != "yes" else "the place is not in this chat")
        made.append(translated)
    return made


def _added(unit: Unit, data: memoryview, adds: Sequence[Operation]) -> Translated:
    chat = read_chat(unit.index, unit.paths[0], data)
    lines = [
        *_anew(chat, data, adds),
        *(_rewind(chat, operation) for operation in adds if isinstance(operation, Truncate)),
        *(_note(chat, operation) for operation in adds if isinstance(operation, Note)),
    ]
    text = b"".join(line + b"\n" for line in lines)
    if len(data) and data[-1] != 0x0A:
        text = b"\n" + text
    grows = all(isinstance(operation, Answer) for operation in adds)
    edit = SpanEdit(unit.paths[0], len(data), 0, (text,))
    return Translated((edit,), "append" if grows else "payload")


def _anew(chat: Chat, data: memoryview, adds: Sequence[Operation]) -> list[bytes]:
    """Each message that a call of is answered or taken out, written again with the same id."""
    wanted = {(op.n, op.part): op for op in adds if isinstance(op, Answer | DropPart)}
    changed: dict[str, tuple[Kept, dict[int, Answer | DropPart]]] = {}
    number = 0
    for kept, part, call in places(chat):
        number = 0 if call is None else number + 1
        if call is not None and (operation := wanted.pop((kept.n, part), None)) is not None:
            changed.setdefault(kept.message.id or "", (kept, {}))[1][number - 1] = operation
    if wanted:
        raise Unsupported("only a tool call can be answered or taken out")
    return [_message(chat, data, kept, calls) for kept, calls in changed.values()]


def _message(
    chat: Chat, data: memoryview, kept: Kept, changes: dict[int, Answer | DropPart]
) -> bytes:
    """Members that do not change stay as they were written."""
    record = chat.records[kept.written]
    try:
        stored = members(bytes(data[record.offset : record.offset + record.length]))
        if kept.inside is not None:
            stored = members(items(members(stored["$set"])["messages"])[kept.inside])
        calls = items(stored["toolCalls"])
        written = []
        for number, raw in enumerate(calls):
            match changes.get(number):
                case None:
                    written.append(raw)
                case Answer() as answer:
                    assert kept.message.calls is not None
                    call = kept.message.calls[number]
                    written.append(_answered(members(raw), call, answer, kept))
    except (ValueError, KeyError, IndexError) as error:
        raise Unsupported("the message stands in a damaged line") from error
    stored["toolCalls"] = Raw(msgspec.json.encode(written))
    return msgspec.json.encode(stored)


def _answered(stored: dict[str, Raw], call: ToolCall, answer: Answer, kept: Kept) -> Raw:
    text = answer_text(call.name, answer.outcome, kept.message.timestamp, answer.words)
    response = {"id": call.id, "name": call.name, "response": {"error": text}}
    status = "cancelled" if answer.outcome is Outcome.NEVER_STARTED else "error"
    stored["status"] = Raw(msgspec.json.encode(status))
    stored["result"] = Raw(msgspec.json.encode([{"functionResponse": response}]))
    return Raw(msgspec.json.encode(stored))


def _rewind(chat: Chat, operation: Truncate) -> bytes:
    gone = next((name for name, kept in chat.kept.items() if kept.n > operation.n), None)
    if gone is None:
        raise Unsupported("no message stands behind that point")
    return msgspec.json.encode({"$rewindTo": gone})


def _note(chat: Chat, operation: Note) -> bytes:
    times = [kept.message.timestamp for kept in chat.kept.values() if kept.message.timestamp]
    if not times:
        raise Unsupported("no message has a time that an added one could follow")
    note = {
        "id": f"suture-note-{operation.n + 1}",
        "timestamp": a_moment_later(times[-1]),
        "type": "user",
        "content": [{"text": note_text(operation.tools, times[-1])}],
    }
    return msgspec.json.encode(note)
