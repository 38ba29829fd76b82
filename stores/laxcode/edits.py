"""Operations as rows: the raw history only grows, a window that must change is listed anew."""

import json
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing

from suture.model.answer import answer_text, note_text
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
from suture.stores._store import Translated
from suture.stores.laxcode.draft import Draft, Item
from suture.stores.laxcode.fields import answered, calls
from suture.stores.laxcode.overlap import without_overlap
from suture.stores.laxcode.tables import (
    COUNTER,
    SESSION,
    VERSION,
    WINDOW,
    Record,
    integer,
    session_ids,
    stored,
    string,
)

_IMMUTABLE = "the raw history of laxcode is never changed"
_ROWS = "rows of a table are no bytes of a file"
SUPPORTS = {
    "Answer": "yes",
    "Restore": "no other row proves the outcome of a call",
    "Drop": _IMMUTABLE,
    "DropPart": "yes",
    "Note": "yes",
    "Truncate": "yes",
    "Quarantine": "yes",
    "Cut": _ROWS,
    "Split": _ROWS,
    "Replace": _ROWS,
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
    try:
        with closing(files.sqlite(unit.paths[0])) as database:
            names = [unit.session] if unit.session is not None else session_ids(database)
            for operation in operations:
                name = _session_of(operation, unit, names)
                if name not in drafts:
                    drafts[name] = Draft.start(unit.paths[0], stored(database, name))
                _apply(operation, drafts[name])
    except sqlite3.Error as error:
        raise Unsupported(f"the database cannot be read: {error}") from error
    made = tuple(edit for draft in drafts.values() for edit in draft.edits())
    anew = any(draft.anew for draft in drafts.values())
    added = any(draft.added for draft in drafts.values())
    cache = "payload" if anew else "append" if added else "envelope"
    return [Translated(made if i == 0 else (), cache) for i in range(len(operations))]


def _session_of(operation: Operation, unit: Unit, names: Sequence[str]) -> str:
    if isinstance(operation, Quarantine):
        if unit.session is not None:
            return unit.session
        key = json.loads(operation.place.key) if isinstance(operation.place, Row) else {}
        return str(key.get("session_id"))
    return names[getattr(operation, "session", 0) & 0xFFFFFFFF]


def _apply(operation: Operation, draft: Draft) -> None:
    match operation:
        case Answer():
            _answer(operation, draft)
        case Note():
            _note(operation, draft)
        case DropPart():
            _drop_part(operation, draft)
        case Truncate():
            _truncate(operation, draft)
        case NewWindow():
            draft.items = without_overlap(draft.items)
            draft.anew = True
        case SetCounter(name=name, value=value) if name in (COUNTER, "counter"):
            draft.head[COUNTER] = value
        case SetState(entity=entity) if entity.startswith("window "):
            version = entity.removeprefix("window ")
            _discard(draft, lambda row: str(draft.stored.version_of(row)) == version)
        case Quarantine(place=Row(table=table, key=key)) if table == WINDOW:
            wanted = _window_key(draft, json.loads(key))
            _discard(draft, lambda row: all(row.get(k) == v for k, v in wanted.items()))
        case Rebuild(what="header"):
            _new_head(draft)
        case _:
            raise Unsupported(_reason(operation))


def _reason(operation: Operation) -> str:
    reason = SUPPORTS[type(operation).__name__]
    if reason != "yes":
        return reason
    return (
        _IMMUTABLE if isinstance(operation, Quarantine) else "the three tables have no such value"
    )


def _answer(operation: Answer, draft: Draft) -> None:
    call_id = operation.call_id
    name = next((c.name for row in draft.raw for c in calls(row)[0] if c.id == call_id), None)
    known = next((row for row in draft.raw if answered(row) == call_id), None)
    if known is None:
        text = answer_text(name, operation.outcome, _last_time(draft), operation.words)
        draft.append("tool", text, call_id)
        known = draft.raw[-1]
    seq = integer(known["seq"])
    assert seq is not None
    _into_window(draft, call_id, known, seq)


def _into_window(draft: Draft, call_id: str, message: Record, seq: int) -> None:
    """Right after the call and its siblings' results, or into the summary that hides the call."""
    at = next((i for i, item in enumerate(draft.items) if call_id in item.calls), None)
    if at is None:
        _into_summary(draft, call_id, seq)
        return
    siblings = draft.items[at].calls
    end = at + 1
    while end < len(draft.items) and draft.items[end].answers in siblings:
        if draft.items[end].answers == call_id:
            return  # the window has its answer
        end += 1
    draft.insert(end, message, [seq])


def _into_summary(draft: Draft, call_id: str, seq: int) -> None:
    home = {integer(r["seq"]) for r in draft.raw if any(c.id == call_id for c in calls(r)[0])}
    for item in draft.items:
        if home & set(item.originals) and seq not in item.originals:
            item.originals.append(seq)
            draft.anew = True
            return


def _note(operation: Note, draft: Draft) -> None:
    seq = draft.append("user", note_text(operation.tools, _last_time(draft)))
    draft.insert(len(draft.items), draft.raw[-1], [*sorted(set(draft.uncovered)), seq])
    draft.uncovered = []


def _drop_part(operation: DropPart, draft: Draft) -> None:
    """Take a call out of the window; what else its message says stays."""
    row = draft.stored.raw[operation.n]
    before = sum(1 for field in ("reasoning", "content") if row.get(field))
    found = calls(row)[0]
    if not 0 <= operation.part - before < len(found):
        raise Unsupported(_IMMUTABLE)
    call_id = found[operation.part - before].id
    for item in draft.items:
        if call_id in item.calls:
            _without_call(draft, item, call_id)
            return


def _without_call(draft: Draft, item: Item, call_id: str) -> None:
    draft.anew = True
    left = [call.raw.decode() for call in calls(item.row)[0] if call.id != call_id]
    item.calls = [call for call in item.calls if call != call_id]
    item.row = {**item.row, "tool_calls": f"[{','.join(left)}]" if left else None}
    if not left and not (string(item.row.get("content")) or "").strip():
        draft.uncovered += item.originals
        draft.items.remove(item)


def _truncate(operation: Truncate, draft: Draft) -> None:
    last = integer(draft.stored.raw[operation.n]["seq"]) if operation.n >= 0 else 0
    if last is None:
        raise Unsupported("the message to cut after has no seq")
    known = draft.stored.by_seq
    kept = [item for item in draft.items if not item.originals or min(item.originals) <= last]
    if any(seq > last and seq in known for item in kept for seq in item.originals):
        raise Unsupported("a summary stands for messages on both sides of the cut")
    cut = [item for item in draft.items if item not in kept]
    gone = [seq for item in cut for seq in item.originals]
    draft.anew = draft.anew or bool(gone)
    draft.uncovered += gone
    draft.items = kept


def _window_key(draft: Draft, key: dict[str, Value]) -> dict[str, Value]:
    """A place may name a row of the window by its id, or by version and seq."""
    names = {"version": draft.stored.version_column or "version", "pos": "seq"}
    return {names.get(name, name): value for name, value in key.items()}


def _discard(draft: Draft, chosen: Callable[[Record], bool]) -> None:
    rows = [row for row in draft.stored.window if chosen(row)]
    draft.removed += [row for row in rows if row not in draft.removed]
    draft.items = [item for item in draft.items if item.row not in rows]


def _new_head(draft: Draft) -> None:
    """A session row from its messages: the counter after the last, the newest window."""
    if draft.stored.session is not None or not draft.stored.raw:
        raise Unsupported("there is nothing to make the session's row from")
    used = [seq for row in draft.stored.raw if (seq := integer(row["seq"])) is not None]
    versions = [v for row in draft.stored.window if (v := draft.stored.version_of(row)) is not None]
    draft.new_head = True
    known: dict[str, Value] = {
        "session_id": draft.stored.id,
        COUNTER: max(used, default=0) + 1,
        VERSION: max(versions, default=0),
        "created_at": draft.stored.raw[0].get("created_at"),
        "updated_at": draft.stored.raw[-1].get("created_at"),
    }
    draft.head = {k: v for k, v in known.items() if k in draft.stored.columns[SESSION]}


def _last_time(draft: Draft) -> str | None:
    found = draft.stored.raw[-1].get("created_at") if draft.stored.raw else None
    return str(found) if found is not None else None
