"""A rollout's facts as rows of the canonical tables."""

from pathlib import PurePath

from suture.model.files import Files
from suture.model.packed import zstd
from suture.model.rows import (
    CompactionRow,
    DamageRow,
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
from suture.stores.codex.call_columns import add_calls, add_results, add_steps
from suture.stores.codex.clock import micros
from suture.stores.codex.home import heads_of, home_rows
from suture.stores.codex.lost_base import lost_base
from suture.stores.codex.names import rollout_name
from suture.stores.codex.parts import add_parts
from suture.stores.codex.records import Compaction
from suture.stores.codex.rollout import Rollout
from suture.stores.codex.scan import read_rollout
from suture.stores.codex.turns import Turn


def read(unit: Unit, files: Files, sink: Sink) -> None:
    """One session a file of the lineage."""
    bases, heads = Bases(unit.paths, files), heads_of(unit.paths)
    for path in unit.paths:
        data = load(path, unit.index, files, sink)
        if data is None:
            continue
        rollout = read_rollout(unit.index, path, data, sink.live is not None)
        if files.memory is not None and sink.live is None:
            files.memory.keep(path, rollout.kept(), len(rollout.records))
        rollout.damage += _mixed(unit.index, path, data, files)
        rollout.damage = list(in_place.damage(rollout, files))
        session = sink.session_key()
        for broken in bases.rows(rollout, session):
            sink.add("odd_part", broken)
        if rollout.header.n is None and rollout.paginated:
            for headless in _headless(rollout, session, files):
                sink.add("state_kv", headless)
        twin = twin_row(rollout, session, files)
        for state in [*home_rows(rollout, session, heads, files), *([twin] if twin else [])]:
            sink.add("state_kv", state)
        _add(rollout, session, unit.index, sink)


def _headless(rollout: Rollout, session: int, files: Files) -> list[StateRow]:
    lost = lost_base(rollout.path, files)
    if lost is None:
        return []
    base = None if lost.base is None else lost.base.rollout
    return [StateRow(session, None, "headless", str(lost.begins), base)]


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
    add_calls(rollout, session, sink)
    add_results(rollout, session, sink)
    for row in rollout.damage:
        sink.add("damage", row._replace(session=session))
    for odd in rollout.odd.rows:
        sink.add("odd_part", odd._replace(session=session))
    for turn in rollout.turns.all:
        sink.add("turn", _turn(session, turn))
    if (hidden := rollout.hides_header) is not None:
        sink.add("state_kv", StateRow(session, rollout.header.n, "hidden_header", hidden))
    for path, what in rollout.header.gaps.items():
        told = StateRow(session, rollout.header.n, "header", path[-1], what)
        sink.add("state_kv", told if len(path) > 1 else told._replace(key="time of the line"))
    running = rollout.turns.open
    if running is not None and is_told(rollout, running, len(rollout.records)):
        sink.add("state_kv", StateRow(session, running.start_n, "turn", "told"))
    add_steps(rollout, session, sink)
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
    for first, chunk in rollout.records.hand_over():
        count = len(chunk["kind"])
        sent = bytes(rollout.records.sent[first : first + count])
        columns = {name: chunk[name] for name in chunk if name not in _HASHES}
        columns |= {"session": session, "sent": sent}
        if not rollout.paginated:  # a client does not look at numbers in it (measured on 0.171)
            columns |= {"ordinal": None}
        sink.add_columns("record", count, columns)


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
