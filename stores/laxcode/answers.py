"""A call without result: answered at the end, or told of where no row can stand."""

from suture.model.answer import MARK, answer_text
from suture.model.errors import Unsupported
from suture.model.operation import Answer
from suture.stores._tables import Record
from suture.stores.laxcode.draft import Draft, Item
from suture.stores.laxcode.fields import Call
from suture.stores.laxcode.shape import ORIGINAL
from suture.stores.laxcode.window import answered, whole

TAKEN_OUT = f"{MARK} The tool calls of this message were taken out; a later note names them."


def answer(operation: Answer, draft: Draft) -> None:
    session = draft.stored.session
    call_id = operation.call_id
    call = next((c for found in session.calls for c in found if c.id == call_id), None)
    at = next((i for i, item in enumerate(draft.items) if call_id in _ids(item)), None)
    end = at + 1 if at is not None else 0
    while at is not None and end < len(draft.items):
        if draft.items[end].answers not in _ids(draft.items[at]):
            break
        if draft.items[end].answers == call_id:
            return  # the window has its answer
        end += 1
    known = next((n for n, line in enumerate(session.raw) if answered(line) == call_id), None)
    if known is not None:
        _stored_result(draft, at, end, call_id, known)
        return
    name = call.name if call else None
    text = answer_text(name, operation.outcome, draft.last_time, operation.words)
    if not draft.shape.strict:
        record, seq = draft.append("tool", text, call or Call(call_id, None, None))
        _place(draft, at, end, call_id, record, seq)
    elif at is None:
        _tell_at_the_end(draft, text)
    elif end == len(draft.items):
        record, seq = draft.append("tool", text, call)
        draft.insert(end, record, [seq], call_id)
    else:
        without_call(draft, draft.items[at], call_id, _with_arguments(text, draft, at, call_id))


def _stored_result(draft: Draft, at: int | None, end: int, call_id: str, n: int) -> None:
    seq = whole(draft.stored.session.raw[n].seq)
    assert seq is not None
    if draft.shape.linked:
        raise Unsupported("a link cannot be put between two others without moving them")
    _place(draft, at, end, call_id, draft.stored.raw[n], seq)


def _place(draft: Draft, at: int | None, end: int, call_id: str, record: Record, seq: int) -> None:
    """Right after the call and its siblings' results, or into the summary that hides the call."""
    if at is not None:
        draft.insert(end, record, [seq], call_id)
        return
    session = draft.stored.session
    home = {
        line.seq
        for line, found in zip(session.raw, session.calls, strict=True)
        if any(call.id == call_id for call in found)
    }
    for item in draft.items:
        if home & set(item.originals) and seq not in item.originals:
            item.originals.append(seq)
            draft.anew = True
            return


def _tell_at_the_end(draft: Draft, text: str) -> None:
    """The call stands in a summary, whose numbers cannot reach beyond its own messages."""
    if not draft.items:
        raise Unsupported("the session has no window that the client could load")
    record, seq = draft.append("user", text)
    draft.insert(len(draft.items), record, [seq], None)


def _with_arguments(text: str, draft: Draft, at: int, call_id: str) -> str:
    call = next(call for call in draft.items[at].calls if call.id == call_id)
    return f"{text} The call was: {call.raw.decode('utf-8', 'replace')}"


def without_call(draft: Draft, item: Item, call_id: str, told: str | None) -> None:
    """Take a call out of a row of the window; `told` goes in its place."""
    item.calls = [call for call in item.calls if call.id != call_id]
    if not item.calls and not item.text.strip() and told is None:
        if not draft.shape.strict:
            draft.anew = True
            draft.uncovered += item.originals
            draft.items.remove(item)
            return
        told = TAKEN_OUT
    if told is not None:
        item.text = f"{item.text}\n\n{told}" if item.text else told
    left = b",".join(call.raw for call in item.calls)
    column = draft.shape.columns["calls"]
    stored = f"[{left.decode()}]" if left else ("null" if draft.shape.strict else None)
    as_bytes = isinstance(item.record.get(column), bytes) and stored is not None
    changed = {"content": item.text, column: stored.encode() if as_bytes and stored else stored}
    item.record = {**item.record, **changed}
    item.changed = True
    if draft.shape.linked:
        _as_variant(draft, item)
    else:
        draft.anew = True


def _as_variant(draft: Draft, item: Item) -> None:
    """Variant A keeps the original and links to a message that says where it is from."""
    kind = item.record["message_kind"]
    origin = str(item.record["message_id" if kind == ORIGINAL else "origin_message_id"])
    made = {**item.record, "message_kind": "compacted", "origin_message_id": origin}
    item.record = draft.identified(made, f"{origin} {item.text}")


def _ids(item: Item) -> list[str]:
    return [call.id for call in item.calls]
