"""Rows made again from other rows: a session's own, and messages that only a window still has."""

from suture.model.edit import Value
from suture.model.errors import Unsupported
from suture.stores.laxcode.draft import Draft
from suture.stores.laxcode.session import Session
from suture.stores.laxcode.shape import ORIGINAL


def new_head(draft: Draft) -> None:
    """The counter after the last message, the newest window that reaches it."""
    shape, session = draft.shape, draft.stored.session
    if session.head is not None or not draft.stored.raw:
        raise Unsupported("there is nothing to make the session's row from")
    highest = max([session.highest, *(n for n in session.n_of if isinstance(n, int))])
    known: dict[str, Value] = {
        "session_id": session.name,
        shape.counter: highest + shape.counts_next,
        "created_at": draft.stored.raw[0].get("created_at"),
        "updated_at": draft.stored.raw[-1].get("created_at"),
    }
    if shape.version is not None:
        known[shape.version] = _version(session, highest)
    if shape.revision is not None:
        # a mode that is empty is taken for the one that the client runs in
        known |= {shape.revision: highest, "mode": "", "context_version": 1}
    columns = shape.table_columns[shape.head]
    draft.head = {name: value for name, value in known.items() if name in columns}
    draft.new_head = True


def _version(session: Session, highest: int) -> int:
    """Of a real laxcode the newest that ends with the last message; others are half written."""
    known = [entry for entry in session.entries if entry.version is not None]
    ends = {entry.version: entry.place for entry in known}
    whole = [v for v, last in ends.items() if v is not None and last == highest]
    every = [v for v in ends if v is not None]
    chosen = whole if session.shape.strict and whole else every
    return max(chosen, default=session.shape.first)


def originals(draft: Draft) -> None:
    """Put lost messages back as the window of their time holds them."""
    session, shape = draft.stored.session, draft.shape
    if not session.kept:
        raise Unsupported("no window holds what is lost")
    rows = {id(e): row for e, row in zip(session.entries, draft.stored.window, strict=True)}
    for seq, entry in session.kept.items():
        row = {**rows[id(entry)], "seq": seq}
        if shape.shared:
            key: tuple[str, ...] = ("session_id", "message_type", "memory_generation", "seq")
            row |= {"message_type": ORIGINAL, "memory_generation": 0}
        else:  # what the window has no column for, such as the reasoning, is lost
            key, known = ("session_id", "seq"), shape.table_columns[shape.raw]
            row = {name: value for name, value in row.items() if name in known and name != "id"}
        draft.added.append(draft.inserted(shape.raw, row, key))
