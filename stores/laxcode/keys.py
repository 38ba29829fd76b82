"""The primary keys of rows, as the JSON that names a place."""

from collections.abc import Sequence

from suture.model.edit import Value
from suture.stores._tables import encoded
from suture.stores.laxcode.lines import Line
from suture.stores.laxcode.shape import MEMORY, ORIGINAL, Shape


class Keys:
    """Of one session: what its keys begin with is written once."""

    def __init__(self, shape: Shape, name: str) -> None:
        self._shape = shape
        self.head = encoded({"session_id": name})
        self._session = self.head[:-1]
        typed = ',"message_type":"{}","memory_generation":'
        self._original = f'{self._session}{typed.format(ORIGINAL)}0,"seq":'
        self._memory = f"{self._session}{typed.format(MEMORY)}"

    def raw(self, line: Line) -> str:
        return self.of_raw([line])[0]

    def of_raw(self, lines: Sequence[Line]) -> list[str]:
        if self._shape.linked:
            return [encoded({"message_id": line.id}) for line in lines]
        start = self._original if self._shape.shared else f'{self._session},"seq":'
        return [f"{start}{_json(line.seq)}}}" for line in lines]

    def window(self, line: Line) -> str:
        return self.of_window([line])[0]

    def of_window(self, lines: Sequence[Line]) -> list[str]:
        if self._shape.shared:
            start = self._memory
            return [f'{start}{_json(line.version)},"seq":{_json(line.seq)}}}' for line in lines]
        if self._shape.linked:
            start = f'{self._session},"position":'
            return [f"{start}{_json(line.seq)}}}" for line in lines]
        start = f'{self._session},"seq":'
        return [
            f"{start}{_json(line.seq)}}}" if line.id is None else f'{{"id":{_json(line.id)}}}'
            for line in lines
        ]


def _json(value: Value) -> str:
    return str(value) if type(value) is int else encoded(value)
