"""Numbers that a session's row repeats, beside what the rows add up to."""

import math
from collections.abc import Iterator
from typing import Any

from suture.stores.opencode.stored import Stored
from suture.stores.opencode.values import at, integer

_TOKENS = {
    "tokens_input": ("input",),
    "tokens_output": ("output",),
    "tokens_reasoning": ("reasoning",),
    "tokens_cache_read": ("cache", "read"),
    "tokens_cache_write": ("cache", "write"),
}
SEQ = "event_sequence.seq"


def totals(stored: Stored) -> dict[str, Any]:
    """What `cost` and the token columns ought to be: sums over the steps that finished."""
    parts = (*(p for message in stored.messages for p in message.parts), *stored.strays)
    steps = [part.body for part in parts if at(part.body, "type") == "step-finish"]
    found: dict[str, Any] = {
        column: sum(integer(at(step, "tokens", *keys)) or 0 for step in steps)
        for column, keys in _TOKENS.items()
    }
    costs = (at(step, "cost") for step in steps)
    found["cost"] = math.fsum(c for c in costs if isinstance(c, int | float) and abs(c) < 1e300)
    return found


def counts(stored: Stored) -> Iterator[tuple[str, Any, Any]]:
    """Name, stored, found; only of columns that this database has, and only where they differ."""
    row = stored.session.columns if stored.session else {}
    for name, found in totals(stored).items():
        kept = row.get(name)
        if not isinstance(kept, int | float) or abs(found) >= 2**63:
            continue
        if not math.isclose(kept, found, abs_tol=1e-6):
            yield name, kept, found
    seqs = [seq for event in stored.events if (seq := event.number("seq")) is not None]
    kept = stored.sequence.columns.get("seq") if stored.sequence else None
    if seqs and isinstance(kept, int) and kept > max(seqs):
        yield SEQ, kept, max(seqs)
