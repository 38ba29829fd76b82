"""OpenAI Agents SDK: the sessions that it keeps in SQL, with or without branches."""

from suture.stores._late import late, value
from suture.stores._store import TABLES, Store

STORE = Store(
    name="openai-agents",
    title=(
        "OpenAI Agents SDK: `SQLiteSession`, `AdvancedSQLiteSession` (branches),"
        " `SQLAlchemySession`; tables of any name"
    ),
    media=("SQLite", "PostgreSQL", "MySQL"),
    holds=TABLES,
    claims=late("suture.stores.openai_agents.read:claims"),
    units=late("suture.stores.openai_agents.read:units"),
    read=late("suture.stores.openai_agents.read:read"),
    read_together=late("suture.stores.openai_agents.read:read_together"),
    edits=late("suture.stores.openai_agents.edits:edits"),
    writers=late("suture.stores.openai_agents.read:writers"),
    supports=value("suture.stores.openai_agents.edits:SUPPORTS"),
    client="openai-agents",
    server=late("suture.stores.openai_agents.tables:on_server"),
    limits={"read": "yes: on a server one pair of tables in a schema"},
    heads=late("suture.stores.openai_agents.tables:heads"),
)
