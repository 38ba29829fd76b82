"""The physical state of a SQLite file, beside what its rows say."""

from msgspec import Struct


class Fault(Struct, frozen=True):
    kind: str  # of the damage table: db_corrupt | wal_broken | hot_journal
    table: str | None
    detail: str
    serious: bool = True  # False: SQLite heals it by itself


class SessionLoss(Struct, frozen=True):
    session: str
    kept: int
    lost: int


class TableLoss(Struct, frozen=True):
    """Rows of one table that can be read, and that cannot."""

    table: str
    kept: int
    lost: int | None  # None: nothing tells
    sessions: tuple[SessionLoss, ...] = ()  # of those that lose any, as an index names them


class Condition(Struct, frozen=True):
    faults: tuple[Fault, ...] = ()
    losses: tuple[TableLoss, ...] = ()  # every table, where a new file was written
    lossless: bool = True
    file: str | None = None  # a private new file with all that can be read; readers get this one
    sound: bool = True  # SQLite has nothing to say against that file
    rebuilt: bool = False  # a plan puts that file in the place of the damaged one

    @property
    def is_damaged(self) -> bool:
        """A client would read something else than `file` holds, or nothing."""
        return self.file is not None


SOUND = Condition()
