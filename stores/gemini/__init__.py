"""Gemini CLI: chats, one JSON object a line, read with their rules of replay."""

from suture.stores._late import late, value
from suture.stores._store import LINES, Store

STORE = Store(
    name="gemini",
    title="Gemini CLI chats (`~/.gemini/tmp/*/chats`)",
    media=("JSONL",),
    holds=LINES,
    claims=late("suture.stores.gemini.read:claims"),
    units=late("suture.stores.gemini.read:units"),
    read=late("suture.stores.gemini.tables:read"),
    edits=late("suture.stores.gemini.edits:edits"),
    writers=late("suture.stores.gemini.read:writers"),
    supports=value("suture.stores.gemini.edits:SUPPORTS"),
    client="gemini-cli",
    limits={
        "apply": "yes: by lines at the end",
    },
)
