"""The blocks of a message: text, calls, results."""

from hashlib import sha256
from typing import Any

from suture.model.answer import is_marked
from suture.model.rows import CallRow, ResultRow
from suture.stores._sink import Sink
from suture.stores.mapped.message import Call, Message, Reader, Result
from suture.stores.mapped.session import Session
from suture.stores.mapped.stored import encoded
from suture.stores.mapped.viewing import View

_NEVER_STARTED = {
    "proposed": "its status says that it was proposed only",
    "awaiting": "its status says that an approval is pending",
    "denied": "its status says that it was denied",
}
_NOT_STORED = "the store does not say whether the tool was started"
_DISPATCHED = "its status says that it was started"


def batches(session: Session) -> dict[int, str]:
    """Calls of one message, of one stored group, or of messages of the model in a row."""
    found: dict[int, str] = {}
    group = session.mapping.message.group
    run: str | None = None
    for message in session.messages:
        if group is not None:
            value = Reader(session.mapping, message.row).value(group)
            found[message.n] = str(value) if value is not None else f"message {message.n}"
        elif message.kind in ("call", "reply", "reasoning"):
            run = run or f"message {message.n}"
            found[message.n] = run
        else:
            run = None
    return found


PART = ("n", "part", "type", "call_id", "bytes", "text", "data")


def parts(message: Message) -> list[tuple[str, str | Call | Result]]:
    """The blocks of a message, numbered as everything else counts them."""
    found: list[tuple[str, str | Call | Result]] = []
    if message.text is not None:
        found.append(("reasoning" if message.kind == "reasoning" else "text", message.text))
    found += [("call", call) for call in message.calls]
    found += [("result", result) for result in message.results]
    return found


def blocks(view: View, message: Message, rows: list[tuple[Any, ...]], sink: Sink) -> None:
    """What each says is kept in `rows` if all is wanted: no rule asks for it."""
    n, full = message.n, view.full
    if not (full or message.calls or message.results):
        return
    for number, (kind, what) in enumerate(parts(message)):
        if isinstance(what, Call):
            if full:
                rows.append((n, number, kind, what.id, *_content(what.raw)))
            sink.add("call", _call(view, message, number, what))
        elif isinstance(what, Result):
            if full:
                rows.append((n, number, kind, what.id, *_content(what.raw)))
            if n not in view.session.uncounted:
                sink.add("result", _result(view, message, number, what))
        elif full:
            rows.append((n, number, kind, None, *_content(what)))


def _content(raw: object) -> tuple[int, str, bytes]:
    data = bytes_of(raw)
    return len(data), data.decode("utf-8", "replace"), data


def size_of(value: object) -> int:
    return len(value) if isinstance(value, str) and value.isascii() else len(bytes_of(value))


def bytes_of(value: object) -> bytes:
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape")
    return b"" if value is None else encoded(value).encode()


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
