"""Times of messages that the client could not live with."""

from suture.model.errors import Unsupported
from suture.stores.opencode.draft import Draft
from suture.stores.opencode.stored import MESSAGE, Message
from suture.stores.opencode.values import at, milliseconds


def set_time(draft: Draft, message: Message, value: str) -> None:
    """`row time`: the row as its message says. `own time`: the message as its row says. `time`:
    both right after what it follows."""
    row = draft.rows[MESSAGE, message.id]
    body = draft.body(message.item)
    own = milliseconds(at(body, "time", "created"))
    if value == "row time":
        if own is None or draft.stored.is_tree:
            raise Unsupported("the message does not say when it was written")
        row.columns["time_created"] = own
        draft.set_body(message.item, body, told=False)
        return
    now = _time(draft, message) if value == "own time" else _after(draft, message)
    known = body.get("time")
    time = {**(known if isinstance(known, dict) else {}), "created": now}
    completed = milliseconds(time.get("completed"))
    if completed is not None:
        took = completed - (own or completed)
        time["completed"] = now + took if took >= 0 else max(completed, now)
    row.columns["time_created"] = now
    draft.set_body(message.item, {**body, "time": time})


def _after(draft: Draft, message: Message) -> int:
    """Right after what the message follows, and not after what follows it."""
    messages = {m.id: m for m in draft.stored.messages}
    if not draft.log.complete or message.id not in draft.log.messages:
        return _time(draft, _followed(draft, message)) + 1
    order = [messages[name] for name in draft.log.messages if name in messages]  # as first told of
    place, late = order.index(message), _time(draft, message)
    before = next((m for m in reversed(order[:place]) if _time(draft, m) < late), None)
    after = next((m for m in order[place + 1 :] if _time(draft, m) < late), None)
    if before is None and after is None:
        raise Unsupported("no other message says what time it was")
    if before is None:
        assert after is not None
        return _time(draft, after) - 1
    found = _time(draft, before) + 1
    return found if after is None else max(found - 1, min(found, _time(draft, after)))


def _followed(draft: Draft, message: Message) -> Message:
    """Without a log. By its id, if that is not ahead too; else a reply follows the newest other
    reply to its prompt, or the prompt, and a prompt what stands before its first reply. Messages
    that this repair has dated count as they are now."""
    late = _time(draft, message)
    sane = [m for m in draft.stored.messages if _time(draft, m) < late]
    sane.sort(key=lambda m: (_time(draft, m), m.id))
    made = [m.id for m in sane]
    if made == sorted(made) and any(id > message.id for id in made):
        if before := [m for m in sane if m.id < message.id]:
            return before[-1]
        raise Unsupported("no earlier message says what time it was")
    parent = at(message.body, "parentID")
    family = [m for m in sane if parent is not None and parent in (m.id, at(m.body, "parentID"))]
    if family:
        return family[-1]
    replies = [m for m in sane if at(m.body, "parentID") == message.id]
    before = sane[: sane.index(replies[0])] if replies else sane
    if not before:
        raise Unsupported("no earlier message says what time it was")
    return before[-1]


def _time(draft: Draft, message: Message) -> int:
    found = draft.rows[MESSAGE, message.id].columns.get("time_created")
    return found if isinstance(found, int) else 0
