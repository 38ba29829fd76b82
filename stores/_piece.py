"""One record's bytes, and what a reader of lines yields for each."""

from typing import TypeVar

import msgspec

from suture.model.rows import DamageRow

T = TypeVar("T")


class Piece(msgspec.Struct, frozen=True, gc=False):  # made per record: a dataclass costs ten times
    """One record's bytes, ready to be decoded: as stored, or won from a damaged line.

    Empty `raw` means that nothing was won; with length 0 too it only carries rows of the file.
    """

    line: int  # 1-based
    offset: int  # of the stored bytes in the file
    length: int  # of the stored bytes, line end excluded
    raw: bytes | memoryview  # JSON text to decode (mended when recovered)
    recovered: bool  # True when raw was won from a damaged line
    obj: object = None  # set only by the careful path: the value as json.loads gives it


Intake = tuple[Piece, T | None, list[DamageRow]]
