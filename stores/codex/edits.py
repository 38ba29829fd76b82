"""Operations as edits of a rollout's bytes."""

from collections.abc import Sequence

from suture.model.errors import Unsupported
from suture.model.files import Files
from suture.model.operation import (
    Answer,
    Blank,
    Cut,
    Drop,
    DropPart,
    Move,
    Note,
    Operation,
    Quarantine,
    Rebuild,
    Rekey,
    RekeyCall,
    Renumber,
    Replace,
    Restore,
    SetState,
    Split,
    Truncate,
)
from suture.model.unit import Unit
from suture.stores._store import Translated
from suture.stores.codex.added import Addition, add
from suture.stores.codex.byte_level import edit_bytes
from suture.stores.codex.rebuilt import rebuild
from suture.stores.codex.removed import blank, drop, drop_part, truncate
from suture.stores.codex.renamed import rekey, rekey_call
from suture.stores.codex.reordered import move, renumber
from suture.stores.codex.target import Targets

_DONE = (
    Answer,
    Restore,
    Note,
    SetState,  # of the open turn at the end, to aborted
    Drop,
    DropPart,
    Truncate,
    Blank,
    Quarantine,
    Cut,
    Split,
    Replace,
    Move,
    Renumber,
    Rekey,  # takes the item's id away: none may be invented
    RekeyCall,
    Rebuild,  # of the header
)
SUPPORTS = {operation.__name__: "yes" for operation in _DONE} | {
    "Reparent": "the records of a rollout have no parents",
    "SetCounter": "a rollout stores no counter; the next ordinal is the highest plus one",
    "NewWindow": "a rollout stores no context window but the history of a compaction",
}


def edits(unit: Unit, files: Files, operations: Sequence[Operation]) -> list[Translated]:
    """One translation an operation. Records added to one file come with the first of them."""
    targets = Targets(unit, files)
    made: dict[int, Translated] = {}
    added: dict[str, list[tuple[int, Addition]]] = {}
    for number, operation in enumerate(operations):
        if isinstance(operation, Answer | Restore | Note | SetState):
            path = targets.session(operation.session).path
            added.setdefault(path, []).append((number, operation))
    for number, operation in enumerate(operations):
        if not isinstance(operation, Answer | Restore | Note | SetState):
            made[number] = _one(targets, operation, added)
    for group in added.values():
        made |= add(targets.session(group[0][1].session), group)
    return [made[number] for number in range(len(operations))]


def _one(
    targets: Targets, operation: Operation, added: dict[str, list[tuple[int, Addition]]]
) -> Translated:
    name = type(operation).__name__
    if isinstance(operation, Cut | Quarantine | Replace | Split):
        return edit_bytes(targets.place(operation.place), operation)
    if SUPPORTS.get(name) != "yes":
        raise Unsupported(SUPPORTS.get(name, f"a rollout knows no {name}"))
    target = targets.session(operation.session)
    appended = target.path in added
    match operation:
        case Drop():
            made = drop(target, operation, appended)
        case DropPart():
            made = drop_part(target, operation, appended)
        case Blank():
            made = blank(target, operation)
        case Truncate():
            made = truncate(target, operation)
        case Move():
            made = move(target, operation)
        case Renumber():
            made = renumber(target, operation)
        case Rekey():
            made = rekey(target, operation)
        case RekeyCall():
            made = rekey_call(target, operation)
        case Rebuild():
            made = rebuild(target, operation)
        case _:
            raise AssertionError(name)
    return made
