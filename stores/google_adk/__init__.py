"""Google ADK: sessions of DatabaseSessionService and SqliteSessionService in SQLite."""

from suture.stores._late import late, value
from suture.stores._store import TABLES, Store

STORE = Store(
    name="google-adk",
    title="Google ADK: `DatabaseSessionService`, `SqliteSessionService`",
    media=("SQLite", "PostgreSQL", "MySQL"),
    holds=TABLES,
    claims=late("suture.stores.google_adk.read:claims"),
    units=late("suture.stores.google_adk.read:units"),
    read=late("suture.stores.google_adk.read:read"),
    read_together=late("suture.stores.google_adk.read:read_together"),
    edits=late("suture.stores.google_adk.edits:edits"),
    writers=late("suture.stores.google_adk.read:writers"),
    supports=value("suture.stores.google_adk.edits:SUPPORTS"),
    client="google-adk",
    server=value("suture.stores.google_adk.read:SERVER"),
    heads=lambda tables, mapping: {"sessions": ("app_name", "user_id", "id")},
    limits={
        "plan": "partly: v0 (pickles) is only read",
        "apply": "partly: v0 (pickles) is only read",
    },
)
