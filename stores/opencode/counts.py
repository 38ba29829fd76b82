"""Numbers that a session's row repeats, beside what the rows add up to."""

import math
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from msgspec.structs import replace

from suture.stores.opencode.stored import Stored
from suture.stores.opencode.values import integer

SEQ = "event_sequence.seq"


def totals(stored: Stored) -> dict[str, Any]:
    """What `cost` and the token columns ought to be: sums over the steps that finished."""
    parts = chain(*(message.parts for message in stored.messages), stored.strays)
    steps = [part.body for part in parts if part.type == "step-finish"]
    tokens = _objects(steps, "tokens")
    cache = _objects(tokens, "cache")
    costs = (step.get("cost") for step in steps)
    return {
        "tokens_input": _sum(tokens, "input"),
        "tokens_output": _sum(tokens, "output"),
        "tokens_reasoning": _sum(tokens, "reasoning"),
        "tokens_cache_read": _sum(cache, "read"),
        "tokens_cache_write": _sum(cache, "write"),
        "cost": math.fsum(c for c in costs if isinstance(c, int | float) and abs(c) < 1e300),
    }


def without_strangers(stored: Stored) -> Stored:
    """Without the messages that a complete log never told of: they may be of another session, whose
    repair takes them home."""
    log = stored.log
    if log is None or not log.complete or all(m.id in log.messages for m in stored.messages):
        return stored
    return replace(stored, messages=tuple(m for m in stored.messages if m.id in log.messages))


def _objects(values: Iterable[dict[str, Any]], key: str) -> list[dict[str, Any]]:
    return [found for value in values if isinstance(found := value.get(key), dict)]


def _sum(values: Iterable[dict[str, Any]], key: str) -> int:
    return sum(integer(value.get(key)) or 0 for value in values)


def counts(stored: Stored) -> Iterator[tuple[str, Any, Any]]:
    """Name, stored, found; only of columns that this database has, and only where they differ."""
    row = stored.session.columns if stored.session else {}
    own = totals(without_strangers(stored))
    for name, found in totals(stored).items():
        kept = row.get(name)
        if not isinstance(kept, int | float) or abs(found) >= 2**63:
            continue
        if not any(math.isclose(kept, sum, abs_tol=1e-6) for sum in (found, own[name])):
            yield name, kept, found
    seqs = [seq for event in stored.events if (seq := event.number) is not None]
    kept = stored.sequence.columns.get("seq") if stored.sequence else None
    if seqs and isinstance(kept, int) and kept > max(seqs):
        yield SEQ, kept, max(seqs)
