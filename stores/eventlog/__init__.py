"""The event log: one JSON object a line, with ordinals, payload hashes and a chain."""

from suture.stores._late import late, value
from suture.stores._store import LINES, Store

STORE = Store(
    name="eventlog",
    title="suture's own log, the reference for ordinals and hashes",
    media=("JSONL",),
    holds=LINES,
    claims=late("suture.stores.eventlog.read:claims"),
    units=late("suture.stores.eventlog.read:units"),
    read=late("suture.stores.eventlog.tables:read"),
    edits=late("suture.stores.eventlog.edits:edits"),
    writers=late("suture.stores.eventlog.read:writers"),
    supports=value("suture.stores.eventlog.edits:SUPPORTS"),
    client="eventlog",
)
