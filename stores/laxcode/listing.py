"""The edits of a draft: history rows added, the window as its variant keeps windows."""

from itertools import pairwise

from suture.model.edit import RowEdit, Value
from suture.model.errors import Unsupported
from suture.stores._tables import Record
from suture.stores.laxcode.draft import Draft, Item
from suture.stores.laxcode.loading import is_rising
from suture.stores.laxcode.shape import MEMORY
from suture.stores.laxcode.window import whole

_KEY = ("session_id", "message_type", "memory_generation", "seq")


def row_edits(draft: Draft) -> tuple[RowEdit, ...]:
    """Guarded by the session's row as it was read: by its counter and its version both."""
    session, shape = draft.stored.session, draft.shape
    _next_version(draft)
    if shape.strict and draft.head:
        _check_loads(draft)
    window = _links(draft) if shape.linked else _rows(draft)
    gone = [_deleted(draft, row) for row in draft.removed]
    changes = [*draft.added, *window]
    same = session.head is not None and dict(session.head) == draft.head
    if same and not changes and not (shape.revision and gone):
        return tuple(gone)
    if shape.revision and not draft.new_head and draft.head:
        draft.head[shape.revision] = (whole(draft.head.get(shape.revision)) or 0) + 1
    before = None if draft.new_head else session.head
    head = RowEdit(draft.path, shape.head, {"session_id": session.name}, before, draft.head)
    guard = [head] if draft.head else []
    return (*gone, *guard, *changes)


def _next_version(draft: Draft) -> None:
    """Rows of the version that is written next belong to a compaction that was never finished."""
    shape, session = draft.shape, draft.stored.session
    if not draft.anew or shape.linked:
        return
    if shape.row_version is None or shape.version is None:
        raise Unsupported("the window table keeps no versions, so it cannot be listed anew")
    version = (session.version or 0) + 1
    draft.head[shape.version] = version
    pairs = zip(session.entries, draft.stored.window, strict=True)
    ahead = [row for entry, row in pairs if entry.version is not None and entry.version >= version]
    draft.removed += [row for row in ahead if row not in draft.removed]


def _rows(draft: Draft) -> list[RowEdit]:
    shape = draft.shape
    version = whole(draft.head.get(shape.version)) if shape.version else None
    listed = draft.items if draft.anew else [item for item in draft.items if item.stored is None]
    if shape.strict:
        return [_numbered(draft, item, version) for item in listed]
    first = 1 if draft.anew else _next_place(draft)
    return [_placed(draft, item, seq, version) for seq, item in enumerate(listed, first)]


def _numbered(draft: Draft, item: Item, version: int | None) -> RowEdit:
    """A row has the number of the first message that it stands for."""
    row = {
        **item.record,
        "message_type": MEMORY,
        "memory_generation": version,
        "seq": item.originals[0],
        "original_seq_json": draft.json(item.originals),
    }
    return draft.inserted(draft.shape.window, row, _KEY)


def _next_place(draft: Draft) -> int:
    # places count within a version; a writer that never compacted gives a row its message's seq
    kept = (whole(item.stored.get("seq")) for item in draft.items if item.stored)
    return max((seq for seq in kept if seq is not None), default=0) + 1


def _placed(draft: Draft, item: Item, seq: int, version: int | None) -> RowEdit:
    shape = draft.shape
    known = shape.table_columns[shape.window]
    row: dict[str, Value] = {k: v for k, v in item.record.items() if k in known}
    row.pop("id", None)  # the database numbers them
    row |= {"session_id": draft.stored.session.name, "seq": seq}
    row |= {shape.columns["originals"]: draft.json(item.originals)}
    key = ["session_id", "seq"]
    if shape.row_version is not None:
        row[shape.row_version] = version
        key.insert(1, shape.row_version)
    return draft.inserted(shape.window, row, tuple(key))


def _links(draft: Draft) -> list[RowEdit]:
    """A changed message is a new row, and its link names that one; links never move."""
    shape, name = draft.shape, draft.stored.session.name
    places = (whole(row["position"]) for row in draft.stored.window)
    place = max((at for at in places if at is not None), default=-1)
    edits = []
    for item in draft.items:
        message: Record = {"message_id": item.record["message_id"]}
        if item.stored is None:
            place += 1
            row = {"session_id": name, "position": place, **message}
            edits.append(draft.inserted(shape.window, row, ("session_id", "position")))
        elif item.changed:
            edits.append(draft.inserted(shape.raw, item.record, ("message_id",)))
            key = {"session_id": name, "position": item.stored["position"]}
            after = {**item.stored, **message}
            edits.append(RowEdit(draft.path, shape.window, key, item.stored, after))
    return edits


def _deleted(draft: Draft, row: Record) -> RowEdit:
    shape = draft.shape
    if shape.linked:
        return draft.deleted(shape.window, row, ("session_id", "position"))
    if shape.shared:
        return draft.deleted(shape.window, row, _KEY)
    return draft.deleted(shape.window, row, ("id",) if "id" in row else ())


def _check_loads(draft: Draft) -> None:
    """The client opens no session whose window breaks its rules, so a repair must not make one."""
    touched = draft.anew or any(item.stored is None for item in draft.items)
    current = draft.stored.current
    if not touched and not any(row in current for row in draft.removed):
        return
    listed = [item.originals for item in draft.items if item.originals]
    if any(after[0] <= before[0] for before, after in pairwise(listed)):
        raise Unsupported("the window would go back in the history, and the client refuses that")
    if draft.shape.linked:
        return
    last = whole(draft.head.get(draft.shape.counter))
    whole_rows = len(listed) == len(draft.items) and all(map(is_rising, listed))
    if not whole_rows or not listed or listed[-1][0] != last:
        raise Unsupported("the client opens no session whose window ends before its last message")
