"""JSON lines of no known format: their bytes can be judged and mended, their meaning cannot."""

from suture.stores._late import late, value
from suture.stores._store import Store

STORE = Store(
    name="unknown",
    title="JSON lines of an unknown format",
    units=late("suture.stores.unknown.read:units"),
    read=late("suture.stores.unknown.read:read"),
    edits=late("suture.stores.unknown.read:edits"),
    writers=late("suture.stores.unknown.read:writers"),
    supports=value("suture.stores.unknown.read:SUPPORTS"),
)
