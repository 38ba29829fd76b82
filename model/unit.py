"""One session with everything that is judged and repaired together with it."""

from msgspec import Struct

FILE = "sqlite"  # the store of units that are a database file as such, beside its sessions
UNKNOWN = "unknown"  # the store of JSON lines that nobody is known to read


class Unit(Struct, frozen=True):
    """`paths` start with the main file; sidecars and projections follow, projections last."""

    index: int  # position in this run; session keys start at index << 32
    store: str  # name of the store that reads it
    paths: tuple[str, ...]
    session: str | None = None  # SQL stores: the one session of the file that is meant
    mapping: str | None = None  # text of the mapping file that says how to read its tables

    @property
    def id(self) -> str:
        return self.paths[0] + self.suffix

    @property
    def suffix(self) -> str:
        """What the id has beside the path."""
        if self.store == FILE:
            return " (file)"
        return "" if self.session is None else f"#{self.session}"
