"""Goose: sessions and messages in `sessions.db`, the content of a message as JSON."""

from suture.stores._late import late, value
from suture.stores._store import TABLES, Store

STORE = Store(
    name="goose",
    title="Goose: `sessions.db` (`~/.local/share/goose/sessions`)",
    media=("SQLite",),
    holds=TABLES,
    claims=late("suture.stores.goose.read:claims"),
    units=late("suture.stores.goose.read:units"),
    read=late("suture.stores.goose.read:read"),
    edits=late("suture.stores.goose.edits:edits"),
    writers=late("suture.stores.goose.read:writers"),
    supports=value("suture.stores.goose.edits:SUPPORTS"),
    client="goose",
    heads=lambda tables, mapping: {"sessions": ("id",)},
)
