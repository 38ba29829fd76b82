"""New lines: a marked result, a marked note, a fresh pointer to the leaf.

They take the envelope of their neighbours, key order included, so that readers which search the
text find what they search for.
"""

import json
from bisect import bisect_right
from datetime import UTC, datetime
from uuid import NAMESPACE_URL, uuid5

from msgspec import Struct

from suture.stores.claude_code.draft import Draft
from suture.stores.claude_code.recognise import stem
from suture.stores.claude_code.view import Entry

_STATED = ("cwd", "sessionId", "version", "gitBranch", "userType", "entrypoint", "isSidechain",
           "agentId", "slug", "promptId", "session_id")  # fmt: skip
_MADE = ("parentUuid", "type", "message", "uuid", "timestamp", "sourceToolAssistantUUID")
_MARKER = "sutureRepair"  # readers keep unknown keys; it says which line is ours
_MILLISECOND = 1000


class Reply(Struct, frozen=True):
    """What answers a call."""

    call_id: str
    text: str
    is_error: bool


def result_line(
    draft: Draft, call: Entry, reply: Reply, parent: Entry, time: int, rule: str
) -> tuple[Entry, bytes]:
    block = {
        "tool_use_id": reply.call_id,
        "type": "tool_result",
        "content": reply.text,
        "is_error": reply.is_error,
    }
    made: dict[str, object] = {
        "parentUuid": parent.uuid,
        "type": "user",
        "message": {"role": "user", "content": [block]},
        "uuid": _uuid(draft, reply.call_id, call.uuid or str(call.offset), rule),
        "timestamp": iso(time),
        "sourceToolAssistantUUID": call.uuid,
    }
    return _line(draft, call, made, rule, time)


def note_line(
    draft: Draft, near: Entry, text: str, parent: str | None, time: int, rule: str
) -> tuple[Entry, bytes]:
    made: dict[str, object] = {
        "parentUuid": parent,
        "type": "user",
        "message": {"role": "user", "content": text},
        "uuid": _uuid(draft, parent or "", near.uuid or str(near.offset), rule),
        "timestamp": iso(time),
        "isMeta": True,
    }
    return _line(draft, near, made, rule, time)


def leaf_pointer(draft: Draft, leaf: Entry) -> bytes:
    """The last `last-prompt` line again, naming another leaf; a first one where there is none."""
    made: dict[str, object] = {"leafUuid": leaf.uuid, _MARKER: {"rule": "stale-leaf"}}
    if not draft.found.hints:
        return _dump({"type": "last-prompt", "sessionId": leaf.session} | made)
    return _dump(_object(draft, draft.at(draft.found.hints[-1][0])) | made)


def iso(time: int) -> str:
    found = datetime.fromtimestamp(time // 1_000_000, UTC)
    return f"{found:%Y-%m-%dT%H:%M:%S}.{time // _MILLISECOND % 1000:03d}Z"


def following(time: int) -> int:
    return time + _MILLISECOND


def _line(
    draft: Draft, near: Entry, made: dict[str, object], rule: str, time: int
) -> tuple[Entry, bytes]:
    stated = {k: v for k, v in _object(draft, near).items() if k in _STATED}
    template = _template(draft, near)
    stated = {k: v for k, v in template.items() if k in _STATED} | stated
    order = [key for key in template if key in _STATED or key in _MADE]
    order += [key for key in (*stated, *made) if key not in order]
    values = stated | made
    line = {key: values[key] for key in order if key in values} | {_MARKER: {"rule": rule}}
    parent = made["parentUuid"]
    source = made.get("sourceToolAssistantUUID")
    entry = Entry(
        -1, 0, len(draft.found.data), 0, "result" if source else "injected", "user",
        str(made["uuid"]), parent if isinstance(parent, str) else None, None, near.lane, time,
        chained=True, rendered=True, on_chain=True, sent=True, session=near.session,
        source=source if isinstance(source, str) else None,
    )  # fmt: skip
    return entry, _dump(line)


def _template(draft: Draft, near: Entry) -> dict[str, object]:
    """The nearest earlier result of the lane, else a user line, else the neighbour."""
    lane = draft.index.lanes[near.lane]
    for some in (lane.results, lane.users):
        if before := bisect_right(some, near.n):
            best = draft.at(some[before - 1])
            break
    else:
        best = near
    if best is near and lane.users:
        best = draft.at(lane.users[0])
    return _object(draft, best)


def _object(draft: Draft, entry: Entry) -> dict[str, object]:
    try:
        value = json.loads(draft.bytes_of(entry).strip(b"\0"))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _uuid(draft: Draft, *place: str) -> str:
    """The same repair of the same file makes the same id."""
    return str(uuid5(NAMESPACE_URL, "\n".join(("suture", stem(draft.found.path), *place))))


def _dump(value: dict[str, object]) -> bytes:
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    try:
        return text.encode()
    except UnicodeEncodeError:  # half of a UTF-16 pair in a neighbour's envelope
        return json.dumps(value, separators=(",", ":")).encode()
