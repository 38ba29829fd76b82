"""The blocks of a message: text, calls, results."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any

from suture.model.answer import is_marked
from suture.stores._rows import add_rows
from suture.stores._sink import Sink
from suture.stores.mapped.calls import Call, Result
from suture.stores.mapped.message import Message
from suture.stores.mapped.reader import Reader
from suture.stores.mapped.rows import TOGETHER, Values
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


def batches(session: Session) -> list[str | None]:
    """Calls of one message, of one stored group, or of messages of the model in a row."""
    if (group := session.mapping.message.group) is not None:
        return list(_groups(session, group))
    found: list[str | None] = []
    run: str | None = None
    for n, kind in enumerate([message.kind for message in session.messages]):
        run = (run or f"message {n}") if kind in ("call", "reply", "reasoning") else None
        found.append(run)
    return found


def _groups(session: Session, group: str) -> Iterator[str]:
    for start, some in session.stored.messages.parts(TOGETHER):
        for n, value in enumerate(Reader(session.mapping, some).column(group), start):
            yield str(value) if value is not None else f"message {n}"


def parts(message: Message) -> list[tuple[str, str | Call | Result]]:
    """The blocks of a message, numbered as everything else counts them."""
    found: list[tuple[str, str | Call | Result]] = []
    if message.text is not None:
        found.append(("reasoning" if message.kind == "reasoning" else "text", message.text))
    found += [("call", call) for call in message.calls]
    found += [("result", result) for result in message.results]
    return found


_PART = ("n", "part", "type", "call_id", "bytes", "text", "data")
_CALL = (
    *("n", "part", "call_id", "pos", "name", "state", "outcome", "reason", "batch"),
    *("legal_open", "malformed"),
)
_RESULT = ("n", "part", "call_id", "pos", "status", "placeholder", "marked", "digest", "bytes")


def blocks(view: View, sink: Sink) -> None:
    session = view.session
    calls: list[tuple[Any, ...]] = []
    results: list[tuple[Any, ...]] = []
    for message in session.messages:
        if not (message.calls or message.results):
            continue
        first = 0 if message.text is None else 1  # part
        for part, call in enumerate(message.calls, first):
            calls.append(_call(view, message, part, call))
        if message.n in session.uncounted:
            continue
        for part, result in enumerate(message.results, first + len(message.calls)):
            results.append(_result(message, part, result))
    add_rows(sink, "call", _CALL, calls, session=view.key, lane="main")
    add_rows(sink, "result", _RESULT, results, session=view.key, lane="main")
    if view.full:  # what each says no rule asks for
        add_rows(sink, "part", _PART, list(_said(session.messages)), session=view.key)


def _said(messages: Sequence[Message]) -> Iterator[tuple[Any, ...]]:
    for message in messages:
        for number, (kind, what) in enumerate(parts(message)):
            if isinstance(what, str):
                yield message.n, number, kind, None, *_content(what)
            else:
                yield message.n, number, kind, what.id, *_content(what.raw)


def _content(raw: object) -> tuple[int, str, bytes]:
    data = bytes_of(raw)
    return len(data), data.decode("utf-8", "replace"), data


def sizes_of(values: Values) -> list[int]:
    return [
        len(value) if isinstance(value, str) and value.isascii() else len(bytes_of(value))
        for value in values
    ]


def bytes_of(value: object) -> bytes:
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape")
    return b"" if value is None else encoded(value).encode()


def _call(view: View, message: Message, part: int, call: Call) -> tuple[Any, ...]:
    n, never = message.n, _NEVER_STARTED.get(call.state or "")
    reason = never or (_DISPATCHED if call.state == "running" else _NOT_STORED)
    batch = view.batches[n]
    outcome = "never_started" if never else "unknown"
    return (
        *(n, part, call.id, n, call.name, call.state, outcome, reason),
        f"message {n}" if batch is None else batch,
        _legal(view, message, call),
        call.malformed,
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


def _result(message: Message, part: int, result: Result) -> tuple[Any, ...]:
    n, data = message.n, result.output.encode("utf-8", "surrogateescape")
    marked = is_marked(result.output)
    digest = sha256(data).hexdigest()[:16]
    status = "error" if result.failed else None
    return n, part, result.id, n, status, marked, marked, digest, len(data)
