"""States that a repair sets: what was in flight ends, what was hidden is shown."""

from suture.model.errors import Unsupported
from suture.stores.opencode import finals
from suture.stores.opencode.clock import set_time
from suture.stores.opencode.compactions import Compaction, compactions
from suture.stores.opencode.draft import Draft
from suture.stores.opencode.stored import MESSAGE, PART, Item
from suture.stores.opencode.tools import hides_error
from suture.stores.opencode.values import written

_UNKNOWN = "the store has no such state"


def set_state(draft: Draft, entity: str, value: str) -> None:
    """`entity`: part ID, message ID, window N, session COLUMN."""
    kind, _, name = entity.partition(" ")
    match kind:
        case "part":
            _end_part(draft, _named(draft, PART, name), value)
        case "message":
            _end_message(draft, name, value)
        case "window":
            _give_up(draft, name)
        case "session" if draft.head is not None and name == "time_compacting":
            draft.head[name] = None
        case _:
            raise Unsupported(_UNKNOWN)


def _named(draft: Draft, table: str, name: str) -> Item:
    found = next((i for i in draft.order if (i.table, i.id) == (table, name)), None)
    if found is None:
        raise Unsupported(f"there is no {table} {name}")
    return found


def _end_part(draft: Draft, part: Item, value: str) -> None:
    body = draft.body(part)
    home = draft.message_of[part.id]
    if value == "timed":
        draft.set_body(part, finals.timed(home, part, body))
        return
    change = finals.shown if hides_error(body) else finals.closed_text
    draft.set_body(part, change(home, part, body))


def _end_message(draft: Draft, name: str, value: str) -> None:
    item = _named(draft, MESSAGE, name)
    body = draft.body(item)
    message = draft.message_of[name]
    if value in ("time", "row time", "own time"):
        set_time(draft, message, value)
        return
    if value == "aborted" and (known := body.get("error")) is not None:
        told = known if isinstance(known, dict) else {"data": {"message": written(known)}}
        error = {**told, "name": "MessageAbortedError"}
        draft.set_body(item, {**body, "error": error})
        return
    draft.set_body(item, finals.completed(message, body))


def _give_up(draft: Draft, version: str) -> None:
    """Both halves: with `tail_start_id` alone taken out the next prompt is still swallowed."""
    found = dict(enumerate(compactions(draft.stored), 1))
    compaction: Compaction | None = found.get(int(version)) if version.isdigit() else None
    if compaction is None or compaction.summary is None:
        raise Unsupported("there is no such compaction")
    summary = compaction.summary
    draft.set_body(summary.item, finals.gave_up(summary, draft.body(summary.item)))
    asked = draft.body(compaction.part)
    if "tail_start_id" in asked:
        left = {key: value for key, value in asked.items() if key != "tail_start_id"}
        draft.set_body(compaction.part, left)
