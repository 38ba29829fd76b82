"""Honest final states for what was cut off."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from suture.model.answer import MARK, answer_text
from suture.model.operation import Answer
from suture.stores.opencode.stored import Item, Message, Stored
from suture.stores.opencode.tools import hides_error
from suture.stores.opencode.values import at, milliseconds, string

_SEEN = "Output seen before the interruption:"
_HIDDEN = (
    f"{MARK} This {{tool}} call was aborted before it ended; its result is unknown. "
    "The action may have taken effect, in part or in full, or may still be running. "
    "Check the current state before repeating it."
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def answered(
    home: Message, part: Item, body: dict[str, Any], answer: Answer, last: int | None
) -> dict[str, Any]:
    """The part as an error that tells everything that is known."""
    time = None if last is None else stamp(last)
    text = answer_text(string(body.get("tool")), answer.outcome, time, answer.words)
    return _with_error(home, part, body, text)


def shown(home: Message, part: Item, body: dict[str, Any]) -> dict[str, Any]:
    """An aborted call as the error that it is, with the output that hid it."""
    text = _HIDDEN.format(tool=string(body.get("tool")) or "tool")
    return _with_error(home, part, body, text) if hides_error(body) else body


def _with_error(home: Message, part: Item, body: dict[str, Any], text: str) -> dict[str, Any]:
    """`metadata.output` moves: beside `interrupted` the client would send it as a success and
    drop the error text (measured on 1.18.33)."""
    state = dict(found) if isinstance(found := body.get("state"), dict) else {}
    known = state.get("metadata")
    metadata = dict(known) if isinstance(known, dict) else {}
    partial = metadata.pop("output", None)
    metadata["interrupted"] = True
    if partial is not None:
        metadata["partial_output"] = partial
    if isinstance(partial, str) and partial.strip():
        text = f"{text}\n\n{_SEEN}\n{partial}"
    start, end = _times(home, part, at(state, "time"))
    kept = state.get("time")
    state |= {
        "status": "error",
        "input": state.get("input") if isinstance(state.get("input"), dict) else {},
        "error": text,
        "metadata": metadata,
        "time": {**(kept if isinstance(kept, dict) else {}), "start": start, "end": end},
    }
    return {**body, "state": state}


def _times(home: Message, part: Item, time: Any) -> tuple[int, int]:
    """In ms: what is stored, else what the row says, else the time of the message."""
    start = milliseconds(at(time, "start")) or part.number("time_created") or last_ms([home])
    end = milliseconds(at(time, "end")) or part.number("time_updated") or start
    return start, max(start, end)


def timed(home: Message, part: Item, body: dict[str, Any]) -> dict[str, Any]:
    """A finished call with the times of its row: without any the client cannot read it."""
    start, end = _times(home, part, None)
    return {**body, "state": {**body["state"], "time": {"start": start, "end": end}}}


def closed_text(home: Message, part: Item, body: dict[str, Any]) -> dict[str, Any]:
    """A text that was streaming, with an end: what is stored of it stays as it is."""
    time = body.get("time")
    known = dict(time) if isinstance(time, dict) else {}
    known["end"] = _times(home, part, known)[1]
    return {**body, "time": known}


def completed(message: Message, body: dict[str, Any]) -> dict[str, Any]:
    """A reply that was cut off. No other error name: the client would not send the reply."""
    time = body.get("time")
    known = dict(time) if isinstance(time, dict) else {}
    if known.get("completed") is None:
        known["completed"] = last_ms([message])
    made = {**body, "time": known}
    if made.get("error") is None and made.get("finish") is None:
        made["error"] = {"name": "MessageAbortedError", "data": {"message": "Aborted"}}
    return made


def gave_up(message: Message, body: dict[str, Any]) -> dict[str, Any]:
    """A summary that will not be finished, so that nothing waits for it."""
    made = completed(message, body)
    made["finish"] = "error"
    if made.get("error") is None:
        made["error"] = {"name": "MessageAbortedError", "data": {"message": "Aborted"}}
    return made


def last_ms(messages: Iterable[Message]) -> int:
    """The newest time that is stored of them."""
    found = [0]
    for message in messages:
        for item in (message.item, *message.parts):
            found += [item.number(name) or 0 for name in ("time_created", "time_updated")]
            times = (at(item.body, "time"), at(item.body, "state", "time"))
            for time in times:
                if isinstance(time, dict):
                    found += [
                        milliseconds(time.get(key)) or 0 for key in ("created", "start", "end")
                    ]
    return max(found)


def last_time(stored: Stored) -> int | None:
    return last_ms(stored.messages) or None


def stamp(ms: int) -> str:
    try:
        moment = _EPOCH + timedelta(milliseconds=ms)
    except OverflowError:
        return str(ms)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
