"""A log's facts as rows of the canonical tables."""

from collections.abc import Iterator
from hashlib import sha256
from itertools import count
from pathlib import PurePath

from suture.model.files import Files
from suture.model.rows import (
    ArtifactRow,
    CallRow,
    DamageRow,
    RecordRow,
    ResultRow,
    SessionRow,
    SourceRow,
    StateRow,
    StepRow,
    TurnRow,
)
from suture.model.unit import Unit
from suture.stores._sink import Sink
from suture.stores.eventlog.calls import call_row, denial_row
from suture.stores.eventlog.clock import microseconds
from suture.stores.eventlog.payloads import ArtifactStored, Usage
from suture.stores.eventlog.sessions import read_log
from suture.stores.eventlog.view import Record, Session
from suture.stores.eventlog.windows import compactions, context_version, entries, left_out, sent


def read(unit: Unit, files: Files, sink: Sink) -> None:
    path = unit.paths[0]
    try:
        data = files.data(path)
    except OSError as error:
        sink.add("source", SourceRow(unit.index, "eventlog", path, "jsonl"))
        sink.add("damage", _unreadable(unit, (error.strerror or str(error)).lower()))
        return
    keys = (sink.session_key() for _ in count())
    sessions = read_log(unit.index, path, data, sink.full, keys)
    records = sum(len(session.records) for session in sessions)
    sink.add("source", SourceRow(unit.index, "eventlog", path, "jsonl", len(data), records))
    for session in sessions:
        _fill(session, unit.index, files, sink)


def _unreadable(unit: Unit, detail: str) -> DamageRow:
    path = unit.paths[0]
    return DamageRow(unit.index, path, "unreadable", None, None, None, detail, fixable=False)


def _fill(session: Session, unit: int, files: Files, sink: Sink) -> None:
    sink.add("session", _session(session, unit))
    for table, rows in (
        ("record", _records(session)),
        ("damage", session.damage),
        ("part", session.parts),
        ("call", _calls(session)),
        ("result", _results(session)),
        ("turn", list(_turns(session))),
        ("step", list(_steps(session))),
        ("compaction", list(compactions(session))),
        ("context_entry", list(entries(session))),
        ("artifact", [_artifact(session, n, a, files) for n, a in session.artifacts]),
        ("state_kv", [*session.state, *session.queued.values(), *_closed(session)]),
    ):
        if rows:
            sink.extend(table, rows)


def _session(session: Session, unit: int) -> SessionRow:
    header = session.header
    lineage = header.lineage if header else None
    versions = list(session.versions)
    return SessionRow(
        session=session.key,
        unit=unit,
        store="eventlog",
        id=session.id,
        path=session.path,
        header_id=header.session_id if header else None,
        fork_of=lineage.parent if lineage else None,
        fork_ordinal=lineage.fork_ordinal if lineage else None,
        created=microseconds(header.created_at) if header else None,
        cwd=session.cwd,
        model=session.model,
        client="eventlog",
        version=versions[-1] if versions else None,
        versions=versions,
        status="closed" if session.closed else "open",
        context_version=context_version(session),
        generation=session.generation,
        leaf=len(session.records) - 1 if session.records else None,
        numbered=True,
        first_ordinal=0,
        ends_turns=True,
        meta_required=True,
    )


def _records(session: Session) -> list[RecordRow]:
    reach = sent(session)
    return [_record(session, record, reach[record.n]) for record in session.records]


def _record(session: Session, record: Record, reaches: bool) -> RecordRow:
    kind, earlier = record.copy or (None, None)
    return RecordRow(
        session.key,
        record.n,
        record.kind,
        record.type,
        record.line,
        record.offset,
        record.length,
        id=record.id,
        ordinal=record.ordinal,
        time=record.time,
        group=record.group,
        turn=record.turn,
        recovered=record.recovered,
        sent=reaches,
        hash=record.hash,
        computed=record.computed,
        chain_hash=record.chain,
        chain_computed=record.chain_computed,
        prev=record.prev,
        copy_of=None if kind == "same_id" else earlier,
        copy_kind=None if kind == "same_id" else kind,
        same_id=earlier if kind == "same_id" else None,
        names_session=record.names_session,
        status=record.status,
        problem=record.problem,
        detail=record.detail,
    )


def _calls(session: Session) -> list[CallRow]:
    pending, hidden = _pending(session), left_out(session)
    return [
        call_row(session.key, call, call.n in pending, hidden.get(call.n))
        for call in session.calls.all
    ]


def _pending(session: Session) -> set[int]:
    """Calls of the last step of a session that still stands in an open turn."""
    if session.closed or session.periods.turn is None:
        return set()
    last = max((r.n for r in session.records if r.kind in ("prompt", "reply")), default=-1)
    return {call.n for call in session.calls.all if call.n > last}


def _results(session: Session) -> list[ResultRow]:
    denials = [
        denial_row(session.key, call)
        for call in session.calls.all
        if call.denied is not None and call.finished is None and call.started is None
    ]
    return [*session.results, *denials]


def _turns(session: Session) -> Iterator[TurnRow]:
    for number, turn in enumerate(session.periods.turns):
        yield TurnRow(
            session=session.key,
            turn=number,
            id=turn.id,
            start_n=turn.start_n,
            end_n=turn.end_n,
            status=turn.status or ("open" if turn.end_n is None else "failed"),
            started=turn.started,
            ended=turn.ended,
            ends=turn.ends,
            generation=turn.generation,
        )


def _steps(session: Session) -> Iterator[StepRow]:
    for number, step in enumerate(session.periods.steps):
        usage = step.usage or Usage()
        yield StepRow(
            session=session.key,
            step=number,
            id=step.id,
            turn=step.turn,
            first_n=step.first_n,
            last_n=step.last_n,
            status=step.status,
            model=step.model,
            input_tokens=usage.input_tokens,
            cache_read_tokens=usage.cache_read_tokens,
            cache_write_tokens=usage.cache_write_tokens,
            output_tokens=usage.output_tokens,
            starts=step.starts,
            ends=step.ends,
        )


def _closed(session: Session) -> list[StateRow]:
    if not session.closed:
        return []
    n = next(record.n for record in session.records if record.type == "session.closed")
    return [StateRow(session.key, n, "status", "closed")]


def artifact_path(log: str, uri: str | None) -> str | None:
    """A reference to a file below the log's folder; others are not looked at."""
    if not uri or ":" in uri or uri.startswith("/") or ".." in PurePath(uri).parts:
        return None
    return str(PurePath(log).parent / uri)


def _artifact(session: Session, n: int, artifact: ArtifactStored, files: Files) -> ArtifactRow:
    path = artifact_path(session.path, artifact.uri)
    present = files.exists(path) if path else None
    computed = None
    if path and present:
        try:
            computed = sha256(files.data(path)).hexdigest()
        except OSError:
            present = False
    stored = artifact.sha256.removeprefix("sha256:") if artifact.sha256 else None
    return ArtifactRow(
        session.key, n, artifact.uri or "", stored, artifact.bytes, present, computed
    )
