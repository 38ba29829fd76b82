"""The kinds of edit. Each is undone by swapping what was and what will be."""

from collections.abc import Mapping

from msgspec import Struct

from suture.model.condition import TableLoss

Value = str | int | float | bytes | None


class Copy(Struct, frozen=True):
    """Bytes of the same file as it was before the plan: long payloads are moved, not repeated."""

    offset: int
    length: int


class Swap(Struct, frozen=True):
    """A copy in which each of the `count` places that hold `old` holds `new`: what is the same for
    a million lines is said once. Both have the same length."""

    offset: int
    length: int
    old: bytes
    new: bytes
    count: int


class Shift(Struct, frozen=True):
    """A copy in which each of the `count` numbers right behind `key` is higher by `by`."""

    offset: int
    length: int
    key: bytes
    by: int
    count: int
    size: int  # of what it makes: 999 may become 1000


Part = bytes | Copy | Swap | Shift


class SpanEdit(Struct, frozen=True):
    """Put `after` in the place of `length` bytes. Length 0 inserts, empty `after` deletes."""

    path: str
    offset: int  # in the original file; in its decoded bytes for a `.zst`
    length: int
    after: tuple[bytes | Copy, ...]
    before_sha256: str | None = None  # of the bytes that go; set when read from a plan file


class RangeEdit(Struct, frozen=True):
    """The same change in many places of a range, said once."""

    path: str
    offset: int
    length: int
    change: Swap | Shift  # of the whole range
    before_sha256: str | None = None

    @property
    def after(self) -> tuple[Part, ...]:
        return (self.change,)


BytesEdit = SpanEdit | RangeEdit


class RowEdit(Struct, frozen=True):
    """Compare-and-set of one row. `before` None inserts, `after` None deletes."""

    path: str
    table: str
    key: Mapping[str, Value]
    before: Mapping[str, Value] | None
    after: Mapping[str, Value] | None


class FileEdit(Struct, frozen=True):
    """A whole file. `before` None creates, `after` None removes."""

    path: str
    before: bytes | None
    after: bytes | None
    before_sha256: str | None = None  # set: the file is there, even where `before` was left out


class TwinEdit(Struct, frozen=True):
    """A new file made of stretches of another one, which stays as it is."""

    path: str
    origin: str  # its decoded bytes for a `.zst`
    after: tuple[Part, ...]


class DatabaseEdit(Struct, frozen=True):
    """A SQLite file written anew with all that can be read of it, its `-wal` and its `-journal`:
    made again when it is applied, and the same then."""

    path: str
    losses: tuple[TableLoss, ...]


Edit = SpanEdit | RangeEdit | RowEdit | FileEdit | TwinEdit | DatabaseEdit
