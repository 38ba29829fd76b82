"""No operation becomes an edit: a state is changed by a new checkpoint, which the graph writes."""

from collections.abc import Sequence

from suture.model.errors import Unsupported
from suture.model.files import Files
from suture.model.operation import Operation
from suture.model.unit import Unit
from suture.stores._row_edits import ROWS
from suture.stores._store import Translated

_STATE = "only the program's own graph writes a state, with update_state"
_HISTORY = "checkpoints are never changed; the graph writes a new one, with update_state"
SUPPORTS = {
    "Answer": _STATE,
    "Restore": _STATE,
    "Drop": _STATE,
    "DropPart": _STATE,
    "ResultsFirst": _STATE,
    "Note": _STATE,
    "Truncate": _STATE,
    "Quarantine": "a checkpoint that is gone takes its children's history with it",
    "Cut": ROWS,
    "Split": ROWS,
    "Replace": ROWS,
    "Reparent": _HISTORY,
    "Rekey": _STATE,
    "RekeyCall": _STATE,
    "Renumber": "messages have no number",
    "Blank": _HISTORY,
    "Move": _STATE,
    "SetState": _STATE,
    "SetCounter": "the tables have no counter",
    "NewWindow": _STATE,
    "Rebuild": _HISTORY,
}


def edits(unit: Unit, files: Files, operations: Sequence[Operation]) -> list[Translated]:
    if operations:
        raise Unsupported(SUPPORTS[type(operations[0]).__name__])
    return []
