"""laxcode: three SQL tables, a raw history and a context window with provenance."""

from suture.stores._late import late, value
from suture.stores._store import TABLES, Store

# The table of sessions, as the variants name it.
_HEADS: dict[str, tuple[str, ...]] = dict.fromkeys(
    ("session", "request_contexts", "session_contexts"), ("session_id",)
)

STORE = Store(
    name="laxcode",
    title="laxcode: `.laxcode/sessions.db` of all its revisions; on servers the three-table design",
    media=("SQLite", "PostgreSQL", "MySQL"),
    holds=TABLES,
    claims=late("suture.stores.laxcode.shape:claims"),
    units=late("suture.stores.laxcode.read:units"),
    read=late("suture.stores.laxcode.read:read"),
    read_together=late("suture.stores.laxcode.read:read_together"),
    edits=late("suture.stores.laxcode.edits:edits"),
    writers=late("suture.stores.laxcode.read:writers"),
    supports=value("suture.stores.laxcode.edits:SUPPORTS"),
    client="laxcode",
    server=value("suture.stores.laxcode.shape:SERVER"),
    heads=lambda tables, mapping: _HEADS,
)
