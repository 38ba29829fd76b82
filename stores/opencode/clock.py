"""Times of messages that the client could not live with."""

from suture.model.errors import Unsupported
from suture.stores.opencode.draft import Draft
from suture.stores.opencode.stored import MESSAGE, Message
from suture.stores.opencode.values import at, milliseconds


def set_time(draft: Draft, message: Message, value: str) -> None:
    """`row time`: the row as its message says. `time`: both right after what it follows."""
    row = draft.rows[MESSAGE, message.id]
    body = draft.body(message.item)
    own = milliseconds(at(body, "time", "created"))
    if value == "time":
        own = _time(draft, _followed(draft, message)) + 1
        known = body.get("time")
        time = {**(known if isinstance(known, dict) else {}), "created": own}
        body = {**body, "time": time}
        completed = milliseconds(at(body, "time", "completed"))
        if completed is not None:
            time["completed"] = own
    if own is None or (draft.stored.is_tree and value == "row time"):
        raise Unsupported("the message does not say when it was written")
    row.columns["time_created"] = own
    draft.set_body(message.item, body, told=value == "time")


def _followed(draft: Draft, message: Message) -> Message:
    """A reply follows the newest other reply to its prompt, or the prompt; a prompt what stands
    before it. Messages that this repair has dated count as they are now."""
    messages = draft.stored.messages
    place = messages.index(message)
    parent = at(message.body, "parentID")
    late = _time(draft, message)
    if parent is not None:
        family = [m for m in messages if parent in (m.id, at(m.body, "parentID"))]
        before = [m for m in family if m is not message and _time(draft, m) < late]
        if before:
            return max(before, key=lambda m: (_time(draft, m), m.id))
    if place == 0:
        raise Unsupported("no earlier message says what time it was")
    return messages[place - 1]


def _time(draft: Draft, message: Message) -> int:
    found = draft.rows[MESSAGE, message.id].columns.get("time_created")
    return found if isinstance(found, int) else 0
