"""What a store format must be able to do."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial

from msgspec import Struct, field

from suture.model.edit import Edit
from suture.model.errors import Unsupported
from suture.model.files import Files, Writer
from suture.model.operation import Operation
from suture.model.unit import Unit
from suture.stores._sink import Sink


class Head(Struct, frozen=True):
    """The start of a file, enough to recognise its format by content."""

    path: str
    data: bytes  # up to 64 KiB, a `.zst` decoded
    tables: Mapping[str, frozenset[str]] | None = None  # SQLite: table name → columns
    fault: str | None = None  # SQLite: why there may be more tables than can be read

    @property
    def is_stub(self) -> bool:
        """No more than the start of one JSON object. Once that is cut off only the name tells the
        format, so it does before as well: findings keep their session."""
        whole_file = len(self.data) < 1 << 16
        stub = self.data.startswith(b"{") and not self.data.endswith(b"}")
        return whole_file and stub and b"\n" not in self.data


class Translated(Struct, frozen=True):
    """The edits of one operation, with what they cost a provider's cache."""

    edits: tuple[Edit, ...]
    cache_class: str  # append | envelope | cut | payload
    doubt: str | None = None  # why a person should agree first


Alone = Sequence[Translated] | Unsupported  # what can be done of a group of operations, or why not


def attempt(
    edits: Callable[[Sequence[Operation]], Sequence[Translated]], group: Sequence[Operation]
) -> Alone:
    try:
        return edits(group)
    except Unsupported as reason:
        return reason


class Twin(Struct, frozen=True):
    """A file of a session again, for a session with another id."""

    path: str
    origin: str
    at: tuple[int, ...] = ()  # offsets in the origin where the old id stands as a whole value
    tail: bytes = b""  # comes at the end


class Forked(Struct, frozen=True):
    old: str  # id of the session
    new: str
    twins: tuple[Twin, ...]  # main file first
    folders: tuple[str, str] | None = None  # what the repair makes in the one comes into the other


def no_fork(unit: Unit, files: Files, changed: Collection[str]) -> Forked:
    raise Unsupported("only sessions of Claude Code and Codex can be written as new ones so far")


def not_bound(model: str) -> bool:
    return False


def nothing_signed(record: bytes) -> tuple[int, ...]:
    return ()


SQLITE = b"SQLite format 3\0"  # starts a database
LINES, TABLES = frozenset({"lines"}), frozenset({"tables"})
ANY = LINES | TABLES

# A table with one row a session → the columns that name the session, as `server` orders them.
Heads = Mapping[str, tuple[str, ...]]
Columns = Mapping[str, frozenset[str]]  # of each table of a database


def nobody(head: Head) -> bool:
    """For a store that no file is taken for by its content."""
    return False


def no_tables(columns: Columns) -> Mapping[str, tuple[str, ...]]:
    return {}


def no_heads(tables: Columns, mapping: str | None) -> Heads:
    return {}


class Store(Struct, frozen=True):
    """What costs an import is imported when it is used: see `_late.py`."""

    name: str
    title: str  # as the table of formats says it
    media: tuple[str, ...]  # what its sessions lie in
    units: Callable[[Files, Sequence[str]], list[Unit]]  # groups claimed files; index is set later
    read: Callable[[Unit, Files, Sink], None]  # damage becomes rows, never an exception
    # One Translated per operation, in their order. Edits that serve several operations (one append
    # answers three calls) stand with the first of them, the others get none. Raises Unsupported.
    edits: Callable[[Unit, Files, Sequence[Operation]], list[Translated]]
    writers: Callable[[Unit], list[Writer]]
    supports: Callable[[], Mapping[str, str]]  # operation → "yes" or the reason
    holds: frozenset[str] = ANY  # only files of this kind are shown to `claims`
    claims: Callable[[Head], bool] = nobody
    names: str | None = None  # how its client names files: the store is asked first about those
    client: str | None = None
    # Ability → `partly: …`, `no: …`, where that is not the usual of `_support.py`.
    limits: Mapping[str, str] = field(default_factory=dict)
    # Of a database server's tables those that it reads → the columns that name the session of a
    # row, in the same order everywhere; the first table has the row that is locked. Empty: files
    # only. Raises Unsupported.
    server: Callable[[Columns], Mapping[str, tuple[str, ...]]] = no_tables
    # Tables with their columns, and the text of a mapping → the tables that `--where` asks.
    heads: Callable[[Columns, str | None], Heads] = no_heads
    # The files that would hold the session once more, under a fresh id; the third: those of the
    # unit that a repair changes. Raises Unsupported.
    fork: Callable[[Unit, Files, Collection[str]], Forked] = no_fork
    # Of a model: whether its signed reasoning is refused when anything before it has changed.
    binds: Callable[[str], bool] = not_bound
    # Of a record: its parts that are such reasoning.
    signed: Callable[[bytes], tuple[int, ...]] = nothing_signed
    # `read` for consecutive sessions of one database, which have the same living writer or none.
    read_together: Callable[[Sequence[Unit], Files, Sink, str | None], None] | None = None
    # `edits` of several groups of operations, each for itself, with the session read once.
    edits_alone: Callable[[Unit, Files, Sequence[Sequence[Operation]]], Iterable[Alone]] | None = (
        None
    )

    @property
    def forks(self) -> bool:
        return self.fork is not no_fork

    @property
    def signs(self) -> bool:
        return self.signed is not nothing_signed

    def each(
        self, unit: Unit, files: Files, groups: Sequence[Sequence[Operation]]
    ) -> Iterable[Alone]:
        """What `edits` makes of each group alone."""
        if self.edits_alone is not None:
            return self.edits_alone(unit, files, groups)
        return (attempt(partial(self.edits, unit, files), group) for group in groups)

    def recognises(self, head: Head) -> bool:
        kind = TABLES if head.tables is not None else LINES
        return kind <= self.holds and self.claims(head)
