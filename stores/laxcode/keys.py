"""The primary keys of rows, as the JSON that names a place."""

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
        if self._shape.linked:
            return encoded({"message_id": line.id})
        start = self._original if self._shape.shared else f'{self._session},"seq":'
        return f"{start}{_json(line.seq)}}}"

    def window(self, line: Line) -> str:
        if self._shape.shared:
            return f'{self._memory}{_json(line.version)},"seq":{_json(line.seq)}}}'
        if self._shape.linked:
            return f'{self._session},"position":{_json(line.seq)}}}'
        if line.id is not None:
            return f'{{"id":{_json(line.id)}}}'
        return f'{self._session},"seq":{_json(line.seq)}}}'


def _json(value: Value) -> str:
    return str(value) if type(value) is int else encoded(value)
