"""Rows that a repair adds: the answer to an interrupted call, and a note."""

from suture.model.answer import answer_text, is_marked, note_text
from suture.model.errors import Unsupported
from suture.model.operation import Answer, Note
from suture.stores.mapped.draft import Draft, need_row
from suture.stores.mapped.message import Message

_OF_MODEL = ("call", "reply", "reasoning")  # in a row: one response


def answer(operation: Answer, draft: Draft) -> None:
    call = draft.messages[operation.n]
    known = [m for m in draft.messages if any(r.id == operation.call_id for r in m.results)]
    if known:
        _show_again(draft, known[0], call)
        return
    template = need_row(draft.mapping, "answer")
    name = next((c.name for c in call.calls if c.id == operation.call_id), None)
    text = answer_text(name, operation.outcome, _last_time(draft), operation.words)
    values = {"call_id": operation.call_id, "text": text, "name": name or ""}
    draft.insert(template, values, call, _place_after(draft, call))
    added = draft.messages[-1]
    if [result.id for result in added.results] != [operation.call_id]:
        raise Unsupported(
            "the row of [write.answer] is not read as the result of the call: "
            "[message.kinds] and [result] must find its id"
        )


def _show_again(draft: Draft, result: Message, call: Message) -> None:
    """The result is stored and left out while its call is sent."""
    column = draft.mapping.message.active
    if column is None:
        raise Unsupported("the mapping names no message.active, so a message cannot be put back")
    draft.set_message(result, column, call.row[column])


def _place_after(draft: Draft, call: Message) -> int:
    """Behind the calls of the batch and what answers them. Ordinals in use are never moved."""
    if call.ordinal is None:
        raise Unsupported("the message of the call has no ordinal")
    ordered = sorted((m for m in draft.messages if m.ordinal is not None), key=_ordinal)
    start = ordered.index(call)
    while start and ordered[start - 1].kind in _OF_MODEL:
        start -= 1
    ids: set[str] = set()
    last = call
    for message in ordered[start:]:
        if message.kind in _OF_MODEL and not last.results:
            ids |= {one.id for one in message.calls}
        elif not {result.id for result in message.results} & ids:
            break
        last = message
    end = draft.next_ordinal()
    later = [m for m in ordered[ordered.index(last) + 1 :] if not _is_ours(m)]
    if not later:
        return end
    wanted = _ordinal(last) + 1
    if wanted in map(_ordinal, ordered):
        following = _ordinal(later[0])
        raise Unsupported(f"message {following} follows the call, and no ordinal between is free")
    if draft.mapping.hash is not None and draft.mapping.hash.chain is not None:
        raise Unsupported("a row between others would break the chain of hashes")
    return wanted


def _ordinal(message: Message) -> int:
    return message.ordinal or 0


def _is_ours(message: Message) -> bool:
    return bool(message.results) and all(is_marked(result.output) for result in message.results)


def note(operation: Note, draft: Draft) -> None:
    template = need_row(draft.mapping, "note")
    text = note_text(operation.tools, _last_time(draft))
    like = next((m for m in draft.session.messages if m.active is not False), None)
    if like is None:
        raise Unsupported("no message of the session is sent, so a note has no place")
    draft.insert(template, {"text": text}, like, draft.next_ordinal())


def _last_time(draft: Draft) -> str | None:
    column = draft.mapping.message.time
    found = draft.messages[-1].row[column] if draft.messages and column else None
    return str(found) if found is not None else None
