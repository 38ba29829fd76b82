"""Operations on what records and calls hang on, and on the order of lines."""

from hashlib import sha256
from uuid import NAMESPACE_URL, uuid5

from suture.model.operation import Move, Rekey, RekeyCall, Reparent
from suture.stores.claude_code.draft import Draft
from suture.stores.claude_code.lines import decode
from suture.stores.claude_code.recognise import stem
from suture.stores.claude_code.view import Entry


def reparent(draft: Draft, owner: int, operation: Reparent) -> str:
    to = None if operation.to is None else name(draft, owner, draft.entry(operation.to))
    draft.hang(owner, draft.entry(operation.n), to)
    return "envelope"


def rekey(draft: Draft, owner: int, operation: Rekey) -> str:
    entry = draft.entry(operation.n)
    if operation.n in draft.given:
        return "envelope"
    fresh = _fresh(draft, entry)
    draft.set_value(owner, entry, ("uuid",), fresh)
    for n in operation.followers:
        follower = draft.entry(n)
        if follower.parent == entry.uuid:
            draft.hang(owner, follower, fresh)
        if _source(draft, follower) == entry.uuid:
            draft.set_value(owner, follower, ("sourceToolAssistantUUID",), fresh)
    if entry.uuid is not None and draft.holder(entry.uuid) == entry.n:
        draft.repoint(owner, entry.uuid, fresh)  # so far the pointer meant this holder
    return "envelope"


def name(draft: Draft, owner: int, entry: Entry) -> str:
    """The uuid of a record that others are to hang on. One without gets a fresh one."""
    if entry.uuid is not None:
        return entry.uuid
    fresh = _fresh(draft, entry)
    draft.name(owner, entry, fresh)
    return fresh


def _fresh(draft: Draft, entry: Entry) -> str:
    place = (stem(draft.found.path), entry.uuid or "", str(entry.n))
    return str(uuid5(NAMESPACE_URL, "\n".join(("suture", *place))))


def rekey_call(draft: Draft, owner: int, operation: RekeyCall) -> str:
    call = draft.entry(operation.n)
    place = (stem(draft.found.path), operation.call_id, call.uuid or "", str(operation.part))
    digest = sha256("\n".join(place).encode()).hexdigest()
    fresh = f"{operation.call_id.partition('_')[0] or 'toolu'}_{digest[:24]}"
    draft.set_value(owner, call, ("message", "content", operation.part, "id"), fresh)
    if operation.result_n is not None and operation.result_part is not None:
        path = ("message", "content", operation.result_part, "tool_use_id")
        draft.set_value(owner, draft.entry(operation.result_n), path, fresh)
    return "payload"


def move(draft: Draft, owner: int, operation: Move) -> str:
    """The line goes behind another one; if it hung elsewhere, the chain is closed over its old
    place and opened at the new one."""
    entry, after = draft.entry(operation.n), draft.entry(operation.after)
    if not _hangs_on(draft, entry, after):
        heir = draft.parent(entry)
        for kid in draft.kids(entry):
            draft.hang(owner, kid, heir)
        for kid in draft.kids(after):
            if kid.lane == entry.lane and kid.on_chain and not _same_response(kid, after):
                draft.hang(owner, kid, name(draft, owner, entry))
        draft.hang(owner, entry, name(draft, owner, after))
    draft.move(owner, entry, after)
    return "payload"


def _source(draft: Draft, entry: Entry) -> str | None:
    """The line that issued the call which this one answers."""
    try:
        return decode(draft.bytes_of(entry)).source_tool_assistant_uuid
    except ValueError:
        return None


def _hangs_on(draft: Draft, entry: Entry, after: Entry) -> bool:
    """Whether the record already follows the other one, or a line of the same response."""
    parent = draft.holder(draft.parent(entry))
    if parent is None:
        return False
    return parent == after.n or _same_response(draft.entry(parent), after)


def _same_response(one: Entry, two: Entry) -> bool:
    return one.group is not None and one.group == two.group
