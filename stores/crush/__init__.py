"""Crush: sessions and messages in `crush.db`, the parts of a message as JSON."""

from suture.stores._late import late, value
from suture.stores._store import TABLES, Store

STORE = Store(
    name="crush",
    title="Crush: `crush.db` (`.crush/` in the project)",
    media=("SQLite",),
    holds=TABLES,
    names="crush.db",
    claims=late("suture.stores.crush.read:claims"),
    units=late("suture.stores.crush.read:units"),
    read=late("suture.stores.crush.read:read"),
    edits=late("suture.stores.crush.edits:edits"),
    writers=late("suture.stores.crush.read:writers"),
    supports=value("suture.stores.crush.edits:SUPPORTS"),
    client="crush",
    heads=lambda tables, mapping: {"sessions": ("id",)},
)
