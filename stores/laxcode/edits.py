"""Operations as rows: the history only grows, a window that must change is listed anew."""

import json
from collections.abc import Callable, Sequence

from suture.model.edit import Value
from suture.model.errors import Unsupported
from suture.model.files import Files
from suture.model.operation import (
    Answer,
    DropPart,
    NewWindow,
    Note,
    Operation,
    Quarantine,
    Rebuild,
    SetCounter,
    SetState,
    Truncate,
)
from suture.model.place import Row
from suture.model.unit import Unit
from suture.stores._row_edits import ROWS, all_in_first, opened, refused
from suture.stores._store import Translated
from suture.stores._tables import Record
from suture.stores.laxcode.answers import answer
from suture.stores.laxcode.cuts import drop_part, note, truncate
from suture.stores.laxcode.draft import Draft
from suture.stores.laxcode.lines import session_ids, shape
from suture.stores.laxcode.listing import row_edits
from suture.stores.laxcode.overlap import without_overlap
from suture.stores.laxcode.rebuilt import new_head, originals
from suture.stores.laxcode.stored import stored

_NO_VALUE = "the tables have no such value"
_IMMUTABLE = "the raw history of laxcode is never changed"
SUPPORTS = {
    "Answer": "yes",
    "Restore": "no other row proves the outcome of a call",
    "Drop": _IMMUTABLE,
    "DropPart": "yes",
    "ResultsFirst": _IMMUTABLE,
    "Note": "yes",
    "Truncate": "yes",
    "Quarantine": "yes",
    "Cut": ROWS,
    "Split": ROWS,
    "Replace": ROWS,
    "Reparent": "messages have no parent",
    "Rekey": "messages have no id but their seq",
    "RekeyCall": _IMMUTABLE,
    "Renumber": _IMMUTABLE,
    "Blank": _IMMUTABLE,
    "Move": _IMMUTABLE,
    "SetState": "yes",
    "SetCounter": "yes",
    "NewWindow": "yes",
    "Rebuild": "yes",
}


def edits(unit: Unit, files: Files, operations: Sequence[Operation]) -> list[Translated]:
    """All in one: answers share one version of the window, so the first carries the edits."""
    drafts: dict[str, Draft] = {}
    with opened(unit, files) as database:
        found = shape(database)
        names = [unit.session] if unit.session is not None else session_ids(database, found)
        for operation in operations:
            name = _session_of(operation, unit, names)
            if name not in drafts:
                drafts[name] = Draft.start(unit.paths[0], stored(database, found, name))
            _apply(operation, drafts[name])
    made = [edit for draft in drafts.values() for edit in row_edits(draft)]
    cache = max(map(_cache_class, drafts.values()), key=_CLASSES.index, default=_CLASSES[0])
    return all_in_first(made, cache, operations)


_CLASSES = ("envelope", "append", "payload")


def _cache_class(draft: Draft) -> str:
    if draft.anew or any(item.changed for item in draft.items):
        return "payload"
    return "append" if any(item.stored is None for item in draft.items) else "envelope"


def _session_of(operation: Operation, unit: Unit, names: Sequence[str]) -> str:
    if isinstance(operation, Quarantine):
        if unit.session is not None:
            return unit.session
        key = json.loads(operation.place.key) if isinstance(operation.place, Row) else {}
        return str(key.get("session_id"))
    return names[getattr(operation, "session", 0) & 0xFFFFFFFF]


def _apply(operation: Operation, draft: Draft) -> None:
    counter = draft.shape.counter
    match operation:
        case Answer():
            answer(operation, draft)
        case Note():
            note(operation, draft)
        case DropPart():
            drop_part(operation, draft)
        case Truncate():
            truncate(operation, draft)
        case NewWindow():
            draft.items = without_overlap(draft.items)
            draft.anew = True
        case SetCounter(name="counter", value=value):
            draft.head[counter] = value - (not draft.shape.counts_next)
        case SetCounter(name=name) if name == counter:
            draft.head[counter] = draft.stored.session.highest + draft.shape.counts_next
        case SetState(entity=entity) if entity.startswith("window "):
            version = entity.removeprefix("window ")
            column = draft.shape.row_version
            _discard(draft, lambda row: column is not None and str(row[column]) == version)
        case Quarantine(place=Row(table=table, key=key)) if table == draft.shape.window:
            _take_out(draft, json.loads(key))
        case Rebuild(what="header"):
            new_head(draft)
        case Rebuild(what="originals"):
            originals(draft)
        case _:
            named = isinstance(operation, Quarantine)  # a row that is no window's
            raise refused(operation, SUPPORTS, _IMMUTABLE if named else _NO_VALUE)


def _take_out(draft: Draft, key: dict[str, Value]) -> None:
    """A place may name a row of the window by its id, or by version and place."""
    session, shape = draft.stored.session, draft.shape
    if session.head is None and shape.strict and not session.raw:
        _discard(draft, lambda row: True)  # all that hangs on the row that is not there
        return
    names = {"version": shape.row_version or "version", "pos": "seq"}
    wanted = {names.get(name, name): value for name, value in key.items()}
    if not _discard(draft, lambda row: all(row.get(k) == v for k, v in wanted.items())):
        raise Unsupported(_IMMUTABLE)


def _discard(draft: Draft, chosen: Callable[[Record], bool]) -> bool:
    rows = [row for row in draft.stored.window if chosen(row)]
    draft.removed += [row for row in rows if row not in draft.removed]
    draft.items = [item for item in draft.items if item.stored not in rows]
    return bool(rows)
