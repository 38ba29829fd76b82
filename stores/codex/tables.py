"""A rollout's facts as rows of the canonical tables."""

from bisect import bisect_left
from collections.abc import Sequence
from operator import attrgetter
from pathlib import PurePath
from typing import Any

from msgspec import Struct
from msgspec.structs import fields

from suture.model.files import Files
from suture.model.packed import zstd
from suture.model.rows import (
    CallRow,
    CompactionRow,
    DamageRow,
    ResultRow,
    SessionRow,
    SourceRow,
    StateRow,
    TurnRow,
)
from suture.model.unit import Unit
from suture.stores._sink import Sink
from suture.stores.codex import in_place
from suture.stores.codex.aborted import is_told
from suture.stores.codex.bases import Bases, twin_row
from suture.stores.codex.calls import Call, Result, side_effect
from suture.stores.codex.clock import micros
from suture.stores.codex.home import heads_of, home_rows
from suture.stores.codex.names import rollout_name
from suture.stores.codex.parts import add_parts
from suture.stores.codex.records import SKIPPED, Compaction
from suture.stores.codex.rollout import Rollout
from suture.stores.codex.scan import read_rollout
from suture.stores.codex.turns import Step, Turn

_CALL_COLUMNS = tuple(f.name for f in fields(Call) if f.name in CallRow._fields)
_RESULT_COLUMNS = tuple(f.name for f in fields(Result) if f.name in ResultRow._fields)


def read(unit: Unit, files: Files, sink: Sink) -> None:
    """One session a file of the lineage."""
    bases, heads = Bases(unit.paths, files), heads_of(unit.paths)
    for path in unit.paths:
        data = load(path, unit.index, files, sink)
        if data is None:
            continue
        rollout = read_rollout(unit.index, path, data, sink.live is not None)
        rollout.damage += _mixed(unit.index, path, data, files)
        rollout.damage = list(in_place.damage(rollout, files))
        session = sink.session_key()
        for broken in bases.rows(rollout, session):
            sink.add("odd_part", broken)
        twin = twin_row(rollout, session, files)
        for state in [*home_rows(rollout, session, heads, files), *([twin] if twin else [])]:
            sink.add("state_kv", state)
        _add(rollout, session, unit.index, sink)


def load(path: str, unit: int, files: Files, sink: Sink) -> memoryview | None:
    try:
        return files.data(path)
    except EOFError:
        detail = "the compressed file ends in the middle of a frame"
    except OSError as error:
        detail = (error.strerror or str(error) or type(error).__name__).lower()
    except zstd.ZstdError as error:
        detail = f"the compressed data are damaged: {error}".lower()
    sink.add("damage", DamageRow(unit, path, "unreadable", None, None, None, detail, fixable=False))
    return None


def _mixed(unit: int, path: str, data: memoryview, files: Files) -> list[DamageRow]:
    at = files.plain_from(path)
    if at is None:
        return []
    line = bytes(data[:at]).count(b"\n") + 1
    detail = "plain lines stand behind the compressed data"
    row = DamageRow(unit, path, "unreadable", line, at, len(data) - at, detail)
    return [row._replace(field="plain file")]


def _add(rollout: Rollout, session: int, unit: int, sink: Sink) -> None:
    sink.add(
        "source",
        SourceRow(
            unit,
            "codex",
            rollout.path,
            "jsonl.zst" if rollout.path.endswith(".zst") else "jsonl",
            len(rollout.data),
            len(rollout.records),
        ),
    )
    sink.add("session", session_row(rollout, session, unit))
    _add_calls(rollout, session, sink)
    _add_results(rollout, session, sink)
    for row in rollout.damage:
        sink.add("damage", row._replace(session=session))
    for odd in rollout.odd.rows:
        sink.add("odd_part", odd._replace(session=session))
    for turn in rollout.turns.all:
        sink.add("turn", _turn(session, turn))
    running = rollout.turns.open
    if running is not None and is_told(rollout, running, len(rollout.records)):
        sink.add("state_kv", StateRow(session, running.start_n, "turn", "told"))
    _add_steps(rollout, session, sink)
    for number, compaction in enumerate(rollout.compactions, 1):
        sink.add("compaction", _compaction(session, number, compaction))
    if sink.full:
        add_parts(rollout, session, sink)
    _add_records(rollout, session, sink)


def session_row(rollout: Rollout, session: int, unit: int) -> SessionRow:
    header = rollout.header
    meta = header.payload
    name = rollout_name(rollout.path)
    thread = meta.id or (name.thread if name else PurePath(rollout.path).name)
    base = meta.history_base
    first = 0
    fork_ordinal = meta.forked_from_ordinal_exclusive
    if base is not None and base.end_ordinal_exclusive is not None:
        first = base.end_ordinal_exclusive
        fork_ordinal = first if fork_ordinal is None else fork_ordinal
    versions = list(header.versions)
    return SessionRow(
        session=session,
        unit=unit,
        store="codex",
        id=f"{thread}_{name.segment}" if name and name.segment else thread,
        path=rollout.path,
        kind="subagent" if meta.thread_source == "subagent" or meta.parent_thread_id else "main",
        variant="paginated" if rollout.paginated else "legacy",
        name_id=name.thread if name else None,
        header_id=meta.id,
        parent=meta.parent_thread_id,
        fork_of=meta.forked_from_id or (base.thread_id if base is not None else None),
        fork_ordinal=fork_ordinal,
        created=micros(meta.timestamp),
        cwd=meta.cwd or rollout.cwd,
        model=rollout.model,
        client="codex",
        version=versions[-1] if versions else None,
        versions=versions,
        numbered=rollout.paginated,
        first_ordinal=first if rollout.paginated else None,
        ends_turns=True,
        meta_required=True,
    )


_HASHES = ("look", "id_hash")


def _add_records(rollout: Rollout, session: int, sink: Sink) -> None:
    some_sent = rollout.records.sent
    for first, chunk in rollout.records.hand_over():
        count = len(chunk["kind"])
        sent = [False] * count
        for n in some_sent[bisect_left(some_sent, first) : bisect_left(some_sent, first + count)]:
            sent[n - first] = True
        columns = {name: chunk[name] for name in chunk if name not in _HASHES}
        sink.add_columns("record", count, columns | {"session": session, "sent": sent})


def _columns(found: Sequence[Struct], names: Sequence[str]) -> dict[str, Any]:
    return {name: list(map(attrgetter(name), found)) for name in names}


def _add_calls(rollout: Rollout, session: int, sink: Sink) -> None:
    for calls in rollout.calls.parts():
        columns = _columns(calls, _CALL_COLUMNS)
        classes = [_class(rollout, call) for call in calls]
        for i, name in enumerate(("outcome", "reason", "evidence", "state")):
            columns[name] = [found[i] for found in classes]
        columns["side_effect"] = [side_effect(call.name, call.family) for call in calls]
        columns["legal_open"] = [_SERVER if call.server else None for call in calls]
        sink.add_columns("call", len(calls), {"session": session} | columns)


_SERVER = "the provider runs it"
_LEFT_OUT = "; compacted away or taken back, it is not sent any more"


def _class(rollout: Rollout, call: Call) -> tuple[str, str, str | None, str | None]:
    """Outcome, why, the evidence, and the state."""
    proof = rollout.evidence.get(call.call_id)
    if call.server:
        return "unknown", _SERVER, None, call.status
    left_out = "" if _is_sent(rollout, call.n) else _left_out(rollout, call.n)
    if proof is not None and proof.status == "declined":
        why = f"line {rollout.records.value('line', proof.n)} says that it was declined{left_out}"
        return "never_started", why, f"record {proof.n}", "denied"
    if proof is not None and proof.status in ("completed", "failed"):
        line = rollout.records.value("line", proof.n)
        why = f"line {line} holds its outcome ({proof.status}){left_out}"
        return "recorded", why, f"record {proof.n}", proof.status
    if call.status == "incomplete":
        return "never_started", f"its arguments were still streaming{left_out}", None, "proposed"
    return "unknown", f"no record tells whether it ran{left_out}", None, None


def _left_out(rollout: Rollout, n: int) -> str:
    return SKIPPED if n in rollout.records.skipped else _LEFT_OUT


def _is_sent(rollout: Rollout, n: int) -> bool:
    at = bisect_left(rollout.records.sent, n)
    return at < len(rollout.records.sent) and rollout.records.sent[at] == n


def _add_results(rollout: Rollout, session: int, sink: Sink) -> None:
    for results in rollout.results.parts():
        columns = _columns(results, _RESULT_COLUMNS)
        if rollout.digests:
            columns["digest"] = [rollout.digests.get((r.n, r.part)) for r in results]
        sink.add_columns("result", len(results), {"session": session} | columns)


def _turn(session: int, turn: Turn) -> TurnRow:
    return TurnRow(
        session,
        turn.number,
        turn.id,
        turn.start_n,
        turn.end_n,
        turn.status,
        turn.started,
        turn.ended,
        turn.ends,
    )


def _add_steps(rollout: Rollout, session: int, sink: Sink) -> None:
    first = 0
    for steps in rollout.steps.all.parts():
        columns = _columns(steps, ("id", "turn", "first_n", "last_n", "model", "output_tokens"))
        columns["step"] = list(range(first, first + len(steps)))
        columns["input_tokens"] = [_fresh(step) for step in steps]
        columns["cache_read_tokens"] = [step.cached_input_tokens for step in steps]
        columns["cache_write_tokens"] = [step.cache_write_input_tokens for step in steps]
        columns |= {"session": session, "status": "completed"}
        sink.add_columns("step", len(steps), columns)
        first += len(steps)


def _fresh(step: Step) -> int | None:
    whole, cached = step.input_tokens, step.cached_input_tokens
    return whole if whole is None or cached is None else whole - cached


def _compaction(session: int, number: int, compaction: Compaction) -> CompactionRow:
    return CompactionRow(
        session=session,
        number=number,
        n=compaction.n,
        pre_tokens=compaction.pre_tokens,
        kept=compaction.kept,
        talk_before=compaction.talk_before,
        opaque=compaction.opaque,
    )
