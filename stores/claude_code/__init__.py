"""Claude Code: one JSONL transcript a session, with a folder of subagents and spilled outputs."""

from suture.stores._store import Store
from suture.stores.claude_code.edits import SUPPORTS, edits
from suture.stores.claude_code.read import read
from suture.stores.claude_code.recognise import claims, units
from suture.stores.claude_code.writers import writers

STORE = Store(
    name="claude-code",
    title="Claude Code",
    claims=claims,
    units=units,
    read=read,
    edits=edits,
    writers=writers,
    supports=SUPPORTS,
    client="claude-code",
)
