from collections.abc import Sequence
from suture.model.files import Files
from suture.model.operation import Operation
from suture.model.unit import Unit
from suture.stores._store import Translated

SUPPORTS: dict[str, str] = {}


def edits(unit: Unit, files: Files, operations: Sequence[Operation]) -> list[Translated]:
    return []
