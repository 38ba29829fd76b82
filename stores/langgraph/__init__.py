"""LangGraph: the checkpoints that its savers keep. They are checked, never written."""

from suture.stores._late import late, value
from suture.stores._store import TABLES, Store

STORE = Store(
    name="langgraph",
    title="LangGraph checkpoints (SQLite, PostgreSQL; checked, not written)",
    holds=TABLES,
    claims=late("suture.stores.langgraph.read:claims"),
    units=late("suture.stores.langgraph.read:units"),
    read=late("suture.stores.langgraph.read:read"),
    edits=late("suture.stores.langgraph.edits:edits"),
    writers=late("suture.stores.langgraph.read:writers"),
    supports=value("suture.stores.langgraph.edits:SUPPORTS"),
    client="langgraph",
    server=late("suture.stores.langgraph.tables:on_server"),
)
