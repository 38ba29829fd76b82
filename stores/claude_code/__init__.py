"""Claude Code: one JSONL transcript a session, with a folder of subagents and spilled outputs."""

from suture.stores._late import late, value
from suture.stores._store import LINES, Store

STORE = Store(
    name="claude-code",
    title="Claude Code transcripts, subagents and sidecars (`~/.claude/projects`)",
    media=("JSONL",),
    holds=LINES,
    claims=late("suture.stores.claude_code.recognise:claims"),
    units=late("suture.stores.claude_code.recognise:units"),
    read=late("suture.stores.claude_code.read:read"),
    edits=late("suture.stores.claude_code.edits:edits"),
    edits_alone=late("suture.stores.claude_code.edits:edits_alone"),
    writers=late("suture.stores.claude_code.writers:writers"),
    supports=value("suture.stores.claude_code.edits:SUPPORTS"),
    client="claude-code",
    fork=late("suture.stores.claude_code.fork:fork"),
    binds=late("suture.stores.claude_code.bound:binds"),
    signed=late("suture.stores.claude_code.bound:signed"),
)
