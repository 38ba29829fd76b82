"""Operations as edits of a rollout's bytes."""

from collections.abc import Iterator, Sequence
from functools import partial

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
from suture.stores._store import Alone, Translated, attempt
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
    Rebuild,  # of the header, and of rows of the home
)
SUPPORTS = {operation.__name__: "yes" for operation in _DONE} | {
    "Reparent": "the records of a rollout have no parents",
    "ResultsFirst": "an item of a rollout is one output",
    "SetCounter": "a rollout stores no counter; the next ordinal is the highest plus one",
    "NewWindow": "a rollout stores no context window but the history of a compaction",
}


class _Batch:
    """What the operations of one call do to each other."""

    def __init__(self, targets: Targets, operations: Sequence[Operation]) -> None:
        self.added: dict[str, list[tuple[int, Addition]]] = {}
        self.cuts: dict[str, int] = {}  # after which record everything goes
        self.dropped: dict[str, set[int]] = {}
        self.parts: dict[tuple[int, int], set[int]] = {}
        self.numbered: dict[str, bytearray] = {}  # 1 for each record with another ordinal so far
        for number, operation in enumerate(operations):
            if isinstance(operation, Cut | Quarantine | Replace | Split):
                continue
            path = targets.session(operation.session).path
            match operation:
                case Answer() | Restore() | Note() | SetState():
                    self.added.setdefault(path, []).append((number, operation))
                case Truncate():
                    self.cuts[path] = operation.n
                case Drop():
                    self.dropped.setdefault(path, set()).add(operation.n)
                case DropPart():
                    parts = self.parts.setdefault((operation.session, operation.n), set())
                    parts.add(operation.part)
                    if targets.session(operation.session).record(operation.n).kind == "call":
                        self.dropped.setdefault(path, set()).add(operation.n)
                case _:
                    pass


def edits(unit: Unit, files: Files, operations: Sequence[Operation]) -> list[Translated]:
    """One translation an operation. Records added to one file come with the first of them."""
    return _edits(Targets(unit, files), files, operations)


def edits_alone(unit: Unit, files: Files, groups: Sequence[Sequence[Operation]]) -> Iterator[Alone]:
    targets = Targets(unit, files)
    return (attempt(partial(_edits, targets, files), group) for group in groups)


def _edits(targets: Targets, files: Files, operations: Sequence[Operation]) -> list[Translated]:
    batch = _Batch(targets, operations)
    made = {
        number: _one(targets, operation, batch, files)
        for number, operation in enumerate(operations)
        if not isinstance(operation, Answer | Restore | Note | SetState)
    }
    for path, group in batch.added.items():
        target = targets.session(group[0][1].session)
        made |= add(target, group, batch.cuts.get(path), batch.dropped.get(path, ()))
    _drop_reasoning(targets, operations, made)
    return [targets.doubted(made[number]) for number in range(len(operations))]


def _drop_reasoning(
    targets: Targets, operations: Sequence[Operation], made: dict[int, Translated]
) -> None:
    """A provider refuses reasoning without the item that it led to: it goes with the last one."""
    dropped: dict[tuple[int, int], int] = {}
    for number, operation in enumerate(operations):
        if isinstance(operation, Drop | DropPart):
            dropped[operation.session, operation.n] = number
    for (session, n), number in dropped.items():
        target = targets.session(session)
        group = target.record(n).group if target.record(n).kind == "call" else None
        response = [target.record(n) for n in target.responses.get(group, ())]
        rest = [r.n for r in response if r.kind != "reasoning"]
        if not rest or n != rest[-1] or any((session, other) not in dropped for other in rest):
            continue
        extra = [
            drop(target, Drop(session, r.n), appended=True).edits
            for r in response
            if r.kind == "reasoning" and (session, r.n) not in dropped
        ]
        edits = (*made[number].edits, *(edit for edits in extra for edit in edits))
        made[number] = Translated(edits, made[number].cache_class)


def _one(targets: Targets, operation: Operation, batch: _Batch, files: Files) -> Translated:
    name = type(operation).__name__
    if isinstance(operation, Cut | Quarantine | Replace | Split):
        return edit_bytes(targets.place(operation.place), operation)
    if SUPPORTS.get(name) != "yes":
        raise Unsupported(SUPPORTS.get(name, f"a rollout knows no {name}"))
    target = targets.session(operation.session)
    appended = target.path in batch.added
    match operation:
        case Drop():
            made = drop(target, operation, appended)
        case DropPart():
            together = batch.parts[operation.session, operation.n]
            made = drop_part(target, operation, appended, together)
        case Blank():
            made = blank(target, operation)
        case Truncate():
            made = truncate(target, operation)
        case Move():
            made = move(target, operation)
        case Renumber():
            numbered = batch.numbered.setdefault(target.path, bytearray(len(target.records)))
            made = renumber(target, operation, numbered)
        case Rekey():
            made = rekey(target, operation)
        case RekeyCall():
            made = rekey_call(target, operation)
        case Rebuild():
            made = rebuild(target, operation, files)
        case _:
            raise AssertionError(name)
    return made
