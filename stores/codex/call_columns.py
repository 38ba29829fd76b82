"""Calls, their results and the requests to a model, as columns of their tables."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import astuple

from suture.stores._sink import Sink
from suture.stores.codex.calls import Call, Result, side_effect
from suture.stores.codex.records import SKIPPED
from suture.stores.codex.rollout import Rollout
from suture.stores.codex.turns import Step

# columns that are one value throughout nearly every file
_EVEN = frozenset({"part", "lane", "server", "malformed", "bad_item_id", "marked", "placeholder"})


def _columns(found: Sequence[Struct], kind: type[Struct]) -> dict[str, Any]:
    columns, each = {}, zip(*map(astuple, found), strict=True)
    for name, values in zip(kind.__struct_fields__, each, strict=True):
        even = name in _EVEN and values.count(values[0]) == len(values)
        columns[name] = values[0] if even else list(values)
    return columns


def add_calls(rollout: Rollout, session: int, sink: Sink) -> None:
    for calls in rollout.calls.parts():
        if not calls:
            continue
        columns = _columns(calls, Call)
        if columns["malformed"] is not None:
            columns["malformed"] = [_malformed(rollout, call) for call in calls]
        classes = zip(*[_class(rollout, call) for call in calls], strict=True)
        columns |= zip(("outcome", "reason", "evidence", "state"), map(list, classes), strict=True)
        columns["side_effect"] = list(map(side_effect, columns["name"], columns["family"]))
        if columns["server"] is not False:
            columns["legal_open"] = [_SERVER if call.server else None for call in calls]
        sink.add_columns("call", len(calls), {"session": session} | columns)


def _malformed(rollout: Rollout, call: Call) -> str | None:
    """One that is left out and would be sent else says so."""
    if call.malformed is None or call.lane != "main" or call.n not in rollout.records.lost:
        return call.malformed
    return call.malformed + SKIPPED


_SERVER = "the provider runs it"
_LEFT_OUT = "; compacted away or taken back, it is not sent any more"
_NOT_KNOWN = "no record tells whether it ran"


def _class(rollout: Rollout, call: Call) -> tuple[str, str, str | None, str | None]:
    """Outcome, why, the evidence, and the state."""
    proof = rollout.evidence.get(call.call_id)
    if call.server:
        return "unknown", _SERVER, None, call.status
    left_out = "" if rollout.records.sent[call.n] else _left_out(rollout, call.n)
    if proof is not None and proof.status == "declined":
        why = f"line {proof.line} says that it was declined{left_out}"
        return "never_started", why, f"record {proof.n}", "denied"
    if proof is not None and proof.status in ("completed", "failed"):
        why = f"line {proof.line} holds its outcome ({proof.status}){left_out}"
        return "recorded", why, f"record {proof.n}", proof.status
    if call.status == "incomplete":
        return "never_started", f"its arguments were still streaming{left_out}", None, "proposed"
    return "unknown", _NOT_KNOWN + left_out, None, None


def _left_out(rollout: Rollout, n: int) -> str:
    return SKIPPED if n in rollout.records.skipped else _LEFT_OUT


def add_results(rollout: Rollout, session: int, sink: Sink) -> None:
    for results in rollout.results.parts():
        if not results:
            continue
        columns = _columns(results, Result)
        if rollout.digests:
            columns["digest"] = [rollout.digests.get((r.n, r.part)) for r in results]
        sink.add_columns("result", len(results), {"session": session} | columns)


def add_steps(rollout: Rollout, session: int, sink: Sink) -> None:
    first = 0
    for steps in rollout.steps.all.parts():
        if not steps:
            continue
        columns = _columns(steps, Step)
        columns["step"] = list(range(first, first + len(steps)))
        whole, cached = columns["input_tokens"], columns["cached_input_tokens"]
        columns["input_tokens"] = list(map(_fresh, whole, cached))
        columns["cache_read_tokens"] = cached
        columns["cache_write_tokens"] = columns["cache_write_input_tokens"]
        columns |= {"session": session, "status": "completed"}
        sink.add_columns("step", len(steps), columns)
        first += len(steps)


def _fresh(whole: int | None, cached: int | None) -> int | None:
    return whole if whole is None or cached is None else whole - cached
