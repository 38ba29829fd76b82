"""Where something lies: bytes of a file, or a row of a table."""

from msgspec import Struct


class Span(Struct, frozen=True):
    """Bytes of a file. In a `.zst` the offset counts decoded bytes."""

    path: str
    line: int  # 1-based, counts 0x0A
    offset: int
    length: int


class Row(Struct, frozen=True):
    """A row of a SQL store. `key` is the JSON object of its primary key."""

    path: str
    table: str
    key: str


Place = Span | Row
