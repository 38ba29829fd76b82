"""Codex rollouts: one JSONL file a session, legacy or paginated, plain or compressed."""

import re

from suture.stores._store import Head
from suture.stores.codex.names import rollout_name

# The last one keeps the place of a record that suture took out.
_TYPE = re.compile(
    rb'"type"\s*:\s*"(?:session_meta|response_item|event_msg|turn_context|compacted|world_state'
    rb'|token_usage_record|suture_removed)"'
)
_BARE = re.compile(rb'\{"id":"[^"]*","timestamp":"[^"]*","instructions":')  # before envelopes
_PAYLOAD = re.compile(rb'"payload"\s*:')


def claims(head: Head) -> bool:
    named = rollout_name(head.path) is not None
    if _TYPE.search(head.data) and (named or _PAYLOAD.search(head.data)):
        return True
    garbled = b'"type"' not in head.data and not head.data.startswith(b"SQLite format 3\0")
    return (garbled or head.is_stub) and named and not _BARE.match(head.data)
