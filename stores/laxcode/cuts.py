"""Calls and messages taken out of the window, and the note that says so."""

from suture.model.answer import MARK, note_text
from suture.model.errors import Unsupported
from suture.model.operation import DropPart, Note, Truncate
from suture.stores.laxcode.answers import without_call
from suture.stores.laxcode.draft import Draft
from suture.stores.laxcode.session import before_calls
from suture.stores.laxcode.window import whole

_CUT = f"{MARK} Messages were taken out here; a later note says why."


def drop_part(operation: DropPart, draft: Draft) -> None:
    """Take a call out of the window; what else its message says stays."""
    session = draft.stored.session
    found = session.calls[operation.n]
    at = operation.part - before_calls(session.raw[operation.n])
    if not 0 <= at < len(found):
        raise Unsupported("the raw history of laxcode is never changed")
    call_id = found[at].id
    for item in draft.items:
        if any(call.id == call_id for call in item.calls):
            without_call(draft, item, call_id, None)
            return


def truncate(operation: Truncate, draft: Draft) -> None:
    session = draft.stored.session
    last = whole(session.raw[operation.n].seq) if operation.n >= 0 else 0
    if last is None:
        raise Unsupported("the message to cut after has no seq")
    if draft.shape.linked:
        raise Unsupported("its window lists single messages, what is cut would be in none")
    kept = [item for item in draft.items if not item.originals or min(item.originals) <= last]
    if any(seq > last and seq in session.n_of for item in kept for seq in item.originals):
        raise Unsupported("a summary stands for messages on both sides of the cut")
    gone = [seq for item in draft.items if item not in kept for seq in item.originals]
    draft.anew = draft.anew or bool(gone)
    draft.uncovered += gone
    draft.items = kept


def note(operation: Note, draft: Draft) -> None:
    record, seq = draft.append("user", note_text(operation.tools, draft.last_time))
    uncovered = sorted(set(draft.uncovered))
    if draft.shape.strict and uncovered:
        # the last row stands for the last message alone, so another one stands for these
        draft.insert(len(draft.items), {**record, "content": _CUT}, uncovered, None)
        uncovered = []
    draft.insert(len(draft.items), record, [*uncovered, seq], None)
    draft.uncovered = []
