"""Codex rollouts: one JSONL file a session, legacy or paginated, plain or compressed."""

from suture.stores._late import late, value
from suture.stores._store import LINES, Store

STORE = Store(
    name="codex",
    title="Codex rollouts: legacy, paginated, `.zst`, lineages (`~/.codex`)",
    media=("JSONL",),
    holds=LINES,
    names="rollout-",
    claims=late("suture.stores.codex.recognise:claims"),
    units=late("suture.stores.codex.lineage:units"),
    read=late("suture.stores.codex.tables:read"),
    edits=late("suture.stores.codex.edits:edits"),
    edits_alone=late("suture.stores.codex.edits:edits_alone"),
    writers=late("suture.stores.codex.writers:writers"),
    supports=value("suture.stores.codex.edits:SUPPORTS"),
    client="codex",
    fork=late("suture.stores.codex.fork:fork"),
)
