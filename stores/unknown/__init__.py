"""JSON lines of no known format: their bytes can be judged and mended, their meaning cannot."""

from suture.stores._late import late, value
from suture.stores._store import Store

STORE = Store(
    name="unknown",
    title="JSON lines of no known format",
    media=("JSONL",),
    units=late("suture.stores.unknown.read:units"),
    read=late("suture.stores.unknown.read:read"),
    edits=late("suture.stores.unknown.read:edits"),
    writers=late("suture.stores.unknown.read:writers"),
    supports=value("suture.stores.unknown.read:SUPPORTS"),
    limits={
        "check": "partly: bytes and lines, not what they mean",
        "plan": "partly: bytes and lines",
        "apply": "partly: bytes and lines",
        "migrate source": "no",
        "migrate target": "no",
    },
)
