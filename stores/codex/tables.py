"""A rollout's facts as rows of the canonical tables."""

from suture.model.files import Files
from suture.model.rows import (
    CallRow,
    CompactionRow,
    DamageRow,
    RecordRow,
    ResultRow,
    SessionRow,
    SourceRow,
    StepRow,
    TurnRow,
)
from suture.model.unit import Unit
from suture.stores._sink import Sink
from suture.stores.codex.calls import Call, side_effect
from suture.stores.codex.clock import micros
from suture.stores.codex.names import rollout_name
from suture.stores.codex.parts import add_parts
from suture.stores.codex.rollout import Rollout, read_rollout
from suture.stores.codex.turns import Step

_STATE = {"completed": "completed", "failed": "failed", "declined": "denied"}


def read(unit: Unit, files: Files, sink: Sink) -> None:
    """One session a file of the lineage."""
    for path in unit.paths:
        data = load(path, unit.index, files, sink)
        if data is None:
            continue
        rollout = read_rollout(unit.index, path, data)
        _add(rollout, sink.session_key(), unit.index, sink)


def load(path: str, unit: int, files: Files, sink: Sink) -> memoryview | None:
    try:
        return files.data(path)
    except EOFError:
        detail = "the compressed file ends in the middle of a frame"
    except OSError as error:
        detail = (error.strerror or str(error) or type(error).__name__).lower()
    except ValueError as error:
        detail = str(error).lower()
    sink.add("damage", DamageRow(unit, path, "unreadable", None, None, None, detail, fixable=False))
    return None


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
    for table, rows in (
        ("record", _records(rollout, session)),
        ("damage", [row._replace(session=session) for row in rollout.damage]),
        ("call", [_call(rollout, session, call) for call in rollout.calls]),
        ("result", _results(rollout, session)),
        ("turn", _turns(rollout, session)),
        ("step", [_step(session, i, step) for i, step in enumerate(rollout.steps.all)]),
        ("compaction", _compactions(rollout, session)),
    ):
        if rows:
            sink.extend(table, rows)
    if sink.full:
        add_parts(rollout, session, sink)


def session_row(rollout: Rollout, session: int, unit: int) -> SessionRow:
    header = rollout.header
    meta = header.payload
    name = rollout_name(rollout.path)
    thread = meta.id or (name.thread if name else rollout.path)
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


def _records(rollout: Rollout, session: int) -> list[RecordRow]:
    # by position: keywords for 200 bytes of row would cost more than reading the record
    return [
        RecordRow(
            session,
            record.n,
            record.kind,
            record.type,
            record.line,
            record.offset,
            record.length,
            None,
            None,
            record.id,
            None,
            record.ordinal,
            record.time,
            record.group,
            record.turn,
            "main",
            record.recovered,
            False,
            None,
            record.sent,
            None,
            None,
            None,
            None,
            None,
            record.copy_of,
            record.copy_kind,
            record.same_id,
            None,
            record.status,
            record.problem,
            record.detail,
        )
        for record in rollout.records
    ]


def _call(rollout: Rollout, session: int, call: Call) -> CallRow:
    outcome, reason, evidence, state = "unknown", None, None, None
    proof = rollout.evidence.get(call.call_id)
    if proof is not None and proof.status == "declined":
        outcome, state = "never_started", "denied"
        reason = f"record {proof.n} says that it was declined"
        evidence = f"record {proof.n}"
    elif proof is not None and proof.status in _STATE:
        outcome, state = "recorded", _STATE[proof.status]
        reason = f"record {proof.n} holds its outcome ({proof.status})"
        evidence = f"record {proof.n}"
    elif call.status == "incomplete":
        outcome, state = "never_started", "proposed"
        reason = "its arguments were still streaming"
    else:
        reason = "no record tells whether it ran"
    if call.server:
        reason, state = "the provider runs it", call.status
    return CallRow(
        session=session,
        n=call.n,
        part=call.part,
        call_id=call.call_id,
        lane=call.lane,
        pos=call.pos,
        name=call.name,
        family=call.family,
        state=state,
        outcome=outcome,
        reason=reason,
        evidence=evidence,
        side_effect=side_effect(call.name, call.family),
        batch=call.batch,
        server=call.server,
        legal_open="the provider runs it" if call.server else None,
        malformed=call.malformed,
        item_id=call.item_id,
        bad_item_id=call.bad_item_id,
    )


def _results(rollout: Rollout, session: int) -> list[ResultRow]:
    return [
        ResultRow(
            session,
            result.n,
            result.part,
            result.call_id,
            result.lane,
            result.pos,
            result.family,
            None,
            result.placeholder,
            result.marked,
            result.digest,
            result.server,
            result.bytes,
        )
        for result in rollout.results
    ]


def _turns(rollout: Rollout, session: int) -> list[TurnRow]:
    return [
        TurnRow(
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
        for turn in rollout.turns.all
    ]


def _step(session: int, number: int, step: Step) -> StepRow:
    usage = step.usage
    fresh = usage.input_tokens if usage is not None else None
    if fresh is not None and usage is not None and usage.cached_input_tokens is not None:
        fresh -= usage.cached_input_tokens
    return StepRow(
        session=session,
        step=number,
        id=step.id,
        turn=step.turn,
        first_n=step.first_n,
        last_n=step.last_n,
        status="completed",
        model=step.model,
        input_tokens=fresh,
        cache_read_tokens=usage.cached_input_tokens if usage is not None else None,
        cache_write_tokens=usage.cache_write_input_tokens if usage is not None else None,
        output_tokens=usage.output_tokens if usage is not None else None,
    )


def _compactions(rollout: Rollout, session: int) -> list[CompactionRow]:
    return [
        CompactionRow(
            session=session,
            number=number,
            n=compaction.n,
            pre_tokens=compaction.pre_tokens,
            kept=compaction.kept,
            talk_before=compaction.talk_before,
            opaque=compaction.opaque,
        )
        for number, compaction in enumerate(rollout.compactions, 1)
    ]
