"""OpenCode: a SQLite database with an event log, and the older tree of JSON files."""

from suture.stores._late import late, value
from suture.stores._store import ANY, Store

STORE = Store(
    name="opencode",
    title=(
        "OpenCode: `opencode.db` with its event log, the older JSON tree"
        " (`~/.local/share/opencode`)"
    ),
    media=("SQLite", "JSON"),
    holds=ANY,
    names="opencode.db",
    claims=late("suture.stores.opencode.read:claims"),
    units=late("suture.stores.opencode.read:units"),
    read=late("suture.stores.opencode.read:read"),
    read_together=late("suture.stores.opencode.read:read_together"),
    edits=late("suture.stores.opencode.edits:edits"),
    writers=late("suture.stores.opencode.read:writers"),
    supports=value("suture.stores.opencode.edits:SUPPORTS"),
    client="opencode",
    heads=lambda tables, mapping: {"session": ("id",)},
    limits={
        "apply": "partly: the tree as far as it has the values",
    },
)
