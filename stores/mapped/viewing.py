"""What the parts of the view share."""

from msgspec import Struct, field

from suture.stores.mapped.rows import Record
from suture.stores.mapped.session import Session
from suture.stores.mapped.stored import Table


class View(Struct):
    unit: int
    key: int
    path: str
    session: Session
    full: bool
    batches: list[str | None] = field(default_factory=list)  # by n: what its calls share
    notes: list[int] = field(default_factory=list)
    places: list[str] = field(default_factory=list)  # by n: the key of its row

    def table(self, section: str) -> Table:
        return self.session.stored.tables[section]

    def place(self, section: str, row: Record) -> str:
        return self.table(section).place_of(row)


def head_column(session: Session) -> str | None:
    """The column of a message that the session's head names."""
    mapping = session.mapping
    if mapping.session is None or mapping.session.head is None:
        return None
    if mapping.session.head_names == "ordinal":
        return mapping.message.ordinal
    if mapping.session.head_names == "id":
        return mapping.message.id
    return mapping.hash.chain.column if mapping.hash and mapping.hash.chain else None
