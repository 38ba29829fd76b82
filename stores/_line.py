"""A line of a file as stored, and rows about it."""

from msgspec import Struct

from suture.model.rows import DamageRow


class Line(Struct, frozen=True):
    """A line as stored; `count` physical lines when a record was broken over several."""

    unit: int
    path: str
    number: int
    offset: int
    raw: bytes  # line end excluded
    terminated: bool
    live: bool
    count: int = 1

    def row(self, kind: str, start: int, stop: int, detail: str) -> DamageRow:
        """`start` and `stop` count from the start of the line."""
        place = (self.number, self.offset + start, stop - start)
        return DamageRow(self.unit, self.path, kind, *place, detail)

    def places(self, base: int, found: list[int]) -> list[int]:
        return [self.offset + base + place for place in found]


def counted(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def no_final_newline(line: Line) -> DamageRow:
    return line.row("no_final_newline", 0, len(line.raw), "the last record has no line end")
