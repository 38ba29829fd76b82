"""Operations into edits of bytes."""

from collections.abc import Mapping, Sequence

from suture.model.errors import Unsupported
from suture.model.files import Files
from suture.model.operation import Operation
from suture.model.unit import Unit
from suture.stores._store import Translated

SUPPORTS: Mapping[str, str] = {}


def edits(unit: Unit, files: Files, operations: Sequence[Operation]) -> list[Translated]:
    raise Unsupported("claude-code sessions are read, but not repaired by this version")
