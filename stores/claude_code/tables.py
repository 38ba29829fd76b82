"""From the view of a transcript to the rows of the canonical tables."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from msgspec import Struct
from msgspec.structs import astuple

from suture.model.files import Memory
from suture.model.rows import (
    ArtifactRow,
    CompactionRow,
    SessionRow,
    StateRow,
)
from suture.model.version import parts
from suture.stores._columns import Values, listed
from suture.stores._packed import Packed
from suture.stores._sink import Sink
from suture.stores.claude_code.chain import Leaves, mark_chain, preserved, summary_of
from suture.stores.claude_code.index import Index
from suture.stores.claude_code.lines import CompactMetadata, whole
from suture.stores.claude_code.odd import image_rows, said_again, untimed_leaf
from suture.stores.claude_code.sidecars import Sidecars
from suture.stores.claude_code.steps import Turn
from suture.stores.claude_code.unnamed import unnamed_lines
from suture.stores.claude_code.view import Call, Result, Transcript

_NAME = "claude-code"
_UNKNOWN = "it may have run: nothing that is stored says how it ended"
_POSITIONS = 1 << 16  # blocks of a line
_SOME = 1 << 15  # rows: bounds the lists between here and Arrow


class Identity(Struct, frozen=True):
    """How a session is called; a subagent goes by the session that started it."""

    id: str
    main: str  # what the sessionId of its lines should be
    kind: str = "main"
    name_id: str | None = None
    parent: str | None = None


def fill(
    sink: Sink, unit: int, found: Transcript, who: Identity, beside: Sidecars, memory: Memory | None
) -> None:
    """The records leave the transcript: nothing of them can be looked up after it."""
    leaves = mark_chain(found)
    if memory is not None and sink.live is None:
        memory.keep(found.path, Index(found.kept()), len(found.records))
    sink.add("session", _session(unit, found, who, leaves))
    rows: dict[str, Sequence[tuple[object, ...]]] = {
        "damage": found.damage,
        "part": found.parts,
        "odd_part": [
            *found.odd,
            *image_rows(found),
            *untimed_leaf(found, leaves.live),
            *unnamed_lines(found, leaves),
            *said_again(found),
        ],
        "compaction": _compactions(found),
        "artifact": [_artifact(found, n, ref, beside) for n, ref in found.spills],
        "state_kv": _states(found, leaves),
    }
    for table in list(rows):
        filled = rows.pop(table)
        for start in range(0, len(filled), _SOME):
            sink.extend(table, list(filled[start : start + _SOME]))
    session = {"session": found.session}
    found.records.drop_links()
    for count, steps in found.steps.requests.parts():
        sink.add_columns("step", count, session | steps)
    for count, columns in _turns(found, found.steps.turns):
        sink.add_columns("turn", count, session | columns)
    _add_calls(sink, found)
    _add_results(sink, found)
    for _, columns in found.records.hand_over():
        named = _other_sessions(found, columns.pop("session"), who.main)
        sink.add_columns("record", len(columns["kind"]), session | columns | named)


def _session(unit: int, found: Transcript, who: Identity, leaves: Leaves) -> SessionRow:
    versions = [version for version in found.versions if version is not None]
    return SessionRow(
        found.session,
        unit,
        _NAME,
        who.id,
        found.path,
        kind=who.kind,
        name_id=who.name_id,
        header_id=_most(found.sessions),
        parent=who.parent,
        created=_created(found),
        cwd=found.cwd,
        model=found.steps.model,
        client=_NAME,
        version=max(versions, key=_version, default=None),
        versions=versions,
        leaf=leaves.live,
        linked=not found.records.loose and not found.records.newer,
    )


def _created(found: Transcript) -> int | None:
    return next((time for time in found.records.all_of("time") if time is not None), None)


def _most(counted: Counter[str | None]) -> str | None:
    return next((name for name, _ in counted.most_common() if name is not None), None)


def _version(text: str) -> list[int]:
    return [part or 0 for part in parts(text)]


def _other_sessions(found: Transcript, stated: Values, main: str) -> dict[str, object]:
    """What a record says of its session where that is not the one of its file."""
    if found.sessions.keys() <= {main, None}:
        return {}
    return {"names_session": [None if name == main else name for name in listed(stated)]}


def _add_calls(sink: Sink, found: Transcript) -> None:
    for calls in found.calls.parts():
        if not calls:
            continue
        columns = _columns(calls, Call) | {"session": found.session, "reason": _UNKNOWN}
        if found.proofs:
            proofs = [found.proofs.get(call.call_id) for call in calls]
            columns["outcome"] = ["unknown" if proof is None else "recorded" for proof in proofs]
            columns["evidence"] = [None if proof is None else proof[0] for proof in proofs]
            columns["reason"] = [_UNKNOWN if proof is None else proof[1] for proof in proofs]
        sink.add_columns("call", len(calls), columns)


def _add_results(sink: Sink, found: Transcript) -> None:
    for results in found.results.parts():
        if not results:
            continue
        columns = _columns(results, Result) | {"session": found.session}
        if found.digests:
            columns["digest"] = [found.digests.get((r.n, r.part)) for r in results]
        sink.add_columns("result", len(results), columns)


def _columns(some: Sequence[Struct], kind: type[Struct]) -> dict[str, Any]:
    """Each field in a list, and the place of each in the order of the file."""
    each = map(list, zip(*map(astuple, some), strict=True))
    columns: dict[str, Any] = dict(zip(kind.__struct_fields__, each, strict=True))
    columns["pos"] = [
        n * _POSITIONS + part for n, part in zip(columns["n"], columns["part"], strict=True)
    ]
    return columns


def _turns(found: Transcript, every: Packed[Turn]) -> Iterator[tuple[int, dict[str, Any]]]:
    times, first = partial(found.records.values, "time"), 0
    for turns in every.parts():
        stop = first + len(turns)
        starts, ends = [turn.start_n for turn in turns], [turn.end_n for turn in turns]
        status = [turn.status for turn in turns]
        following = len(every) - first
        status[: following - 1] = [
            "complete" if one == "open" else one for one in status[: following - 1]
        ]
        yield (
            len(turns),
            {
                "turn": list(range(first, stop)),
                "id": [turn.id for turn in turns],
                "start_n": starts,
                "end_n": ends,
                "status": status,
                "started": times(starts),
                "ended": times(ends),
            },
        )
        first = stop


def _compactions(found: Transcript) -> list[CompactionRow]:
    return [
        CompactionRow(
            found.session,
            number,
            boundary.n,
            summary_of(found, boundary),
            True,
            None,
            boundary.meta.trigger,
            whole(boundary.meta.pre_tokens),
            whole(boundary.meta.post_tokens),
            len(preserved(found, boundary)),
            boundary.talk_before,
        )
        for number, boundary in enumerate(found.boundaries, 1)
    ]


def _artifact(found: Transcript, n: int, ref: str, beside: Sidecars) -> ArtifactRow:
    name = ref.replace("\\", "/").rsplit("/", 1)[-1]
    return ArtifactRow(found.session, n, ref, present=f"tool-results/{name}" in beside.files)


def _states(found: Transcript, leaves: Leaves) -> list[StateRow]:
    session = found.session
    rows = [StateRow(session, n, scope, key, value) for n, scope, key, value in found.states]
    for key, leaf in (("R1", leaves.newest), ("R2", leaves.last)):
        if leaf is not None:
            rows.append(StateRow(session, leaf, "leaf", key, found.records.value("id", leaf)))
    if leaves.hint_id is not None:
        rows.append(StateRow(session, leaves.hint, "leaf", "R3", leaves.hint_id))
        rows.append(StateRow(session, found.hints[-1][0], "pointer", "last-prompt", leaves.hint_id))
    for boundary in found.boundaries:
        rows += _preserved_states(found, boundary.n, boundary.meta)
    return rows


def _preserved_states(found: Transcript, n: int, meta: CompactMetadata) -> list[StateRow]:
    """Each uuid that a compaction says it kept, and whether a record holds it."""
    named: dict[str, None] = {}
    if meta.preserved_messages is not None:
        named |= dict.fromkeys(meta.preserved_messages.uuids or ())
    segment = meta.preserved_segment
    if segment is not None:
        for uuid in (segment.head_uuid, segment.anchor_uuid, segment.tail_uuid):
            if uuid is not None:
                named[uuid] = None
    return [
        StateRow(found.session, n, "preserved", uuid, "kept" if uuid in found.by_id else "absent")
        for uuid in named
    ]
