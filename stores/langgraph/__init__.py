"""LangGraph: the checkpoints that its savers keep. They are checked, never written."""

from suture.stores._late import late, value
from suture.stores._store import TABLES, Store

STORE = Store(
    name="langgraph",
    title="LangGraph checkpoints; msgpack read as plain structures, nothing imported",
    media=("SQLite", "PostgreSQL"),
    holds=TABLES,
    claims=late("suture.stores.langgraph.read:claims"),
    units=late("suture.stores.langgraph.read:units"),
    read=late("suture.stores.langgraph.read:read"),
    edits=late("suture.stores.langgraph.edits:edits"),
    writers=late("suture.stores.langgraph.read:writers"),
    supports=value("suture.stores.langgraph.edits:SUPPORTS"),
    client="langgraph",
    server=late("suture.stores.langgraph.tables:on_server"),
    limits={
        "plan": "partly: it has no steps, it says what is open and why",
        "apply": "no: only the program's own graph writes a state",
    },
)
