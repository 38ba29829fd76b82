"""From the view of a transcript to the rows of the canonical tables."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from suture.model.rows import (
    ArtifactRow,
    CompactionRow,
    SessionRow,
    StateRow,
    TurnRow,
)
from suture.stores._sink import Sink
from suture.stores.claude_code.chain import Leaves, mark_chain, preserved, summary_of
from suture.stores.claude_code.kinds import TALK
from suture.stores.claude_code.lines import CompactMetadata
from suture.stores.claude_code.odd import image_rows, untimed_leaf
from suture.stores.claude_code.sidecars import Sidecars
from suture.stores.claude_code.view import Entry, Transcript

_NAME = "claude-code"
_SOME = 1 << 15  # rows: bounds the lists between here and Arrow


@dataclass(frozen=True, slots=True)
class Identity:
    """How a session is called; a subagent goes by the session that started it."""

    id: str
    main: str  # what the sessionId of its lines should be
    kind: str = "main"
    name_id: str | None = None
    parent: str | None = None


def fill(sink: Sink, unit: int, found: Transcript, who: Identity, beside: Sidecars) -> None:
    leaves = mark_chain(found)
    sink.add("session", _session(unit, found, who, leaves))
    rows: dict[str, Sequence[tuple[object, ...]]] = {
        "damage": found.damage,
        "call": found.calls,
        "result": found.results,
        "part": found.parts,
        "odd_part": [*found.odd, *image_rows(found), *untimed_leaf(found, leaves.live)],
        "turn": _turns(found),
        "step": found.steps,
        "compaction": _compactions(found),
        "artifact": [_artifact(found, n, ref, beside) for n, ref in found.spills],
        "state_kv": _states(found, leaves),
    }
    for table in list(rows):
        filled = rows.pop(table)
        for start in range(0, len(filled), _SOME):
            sink.extend(table, list(filled[start : start + _SOME]))
    for start in range(0, len(found.entries), _SOME):
        entries = found.entries[start : start + _SOME]
        sink.add_columns("record", len(entries), _records(found.session, entries, who.main))


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
        created=found.created,
        cwd=found.cwd,
        model=found.model,
        client=_NAME,
        version=max(versions, key=_version, default=None),
        versions=versions,
        leaf=leaves.live,
    )


def _most(counted: Counter[str | None]) -> str | None:
    return next((name for name, _ in counted.most_common() if name is not None), None)


def _version(text: str) -> list[int]:
    return [int(part) if part.isdigit() else 0 for part in text.split(".")]


def _records(session: int, entries: Sequence[Entry], main: str) -> dict[str, object]:
    """The columns of the record table: most rows of a run are these."""
    return {
        "session": session,
        "n": [entry.n for entry in entries],
        "kind": [entry.kind for entry in entries],
        "type": [entry.type for entry in entries],
        "line": [entry.number for entry in entries],
        "offset": [entry.offset for entry in entries],
        "length": [entry.length for entry in entries],
        "id": [entry.uuid for entry in entries],
        "parent": [entry.parent for entry in entries],
        "time": [entry.time for entry in entries],
        "group": [entry.group for entry in entries],
        "lane": [entry.lane for entry in entries],
        "recovered": [entry.recovered for entry in entries],
        "chained": [entry.chained for entry in entries],
        "on_chain": [entry.on_chain for entry in entries],
        "sent": [entry.sent for entry in entries],
        "copy_of": [entry.copy_of for entry in entries],
        "copy_kind": [entry.copy_kind for entry in entries],
        "same_id": [entry.same_id for entry in entries],
        "names_session": [None if entry.session == main else entry.session for entry in entries],
        "status": [entry.status for entry in entries],
    }


def _turns(found: Transcript) -> list[TurnRow]:
    rows: list[TurnRow] = []
    turns = found.turns
    for number, row in enumerate(turns):
        following = turns[number + 1].start_n if number + 1 < len(turns) else None
        status = "complete" if row.status == "open" and following is not None else row.status
        rows.append(row._replace(status=status))
    return rows


def _compactions(found: Transcript) -> list[CompactionRow]:
    talk = [entry.n for entry in found.entries if entry.chained and entry.kind in TALK]
    return [
        CompactionRow(
            found.session,
            number,
            n,
            summary_of(found, n),
            True,
            None,
            meta.trigger,
            meta.pre_tokens,
            meta.post_tokens,
            len(preserved(found, meta)),
            sum(m < n for m in talk),
        )
        for number, (n, meta) in enumerate(found.boundaries, 1)
    ]


def _artifact(found: Transcript, n: int, ref: str, beside: Sidecars) -> ArtifactRow:
    name = ref.replace("\\", "/").rsplit("/", 1)[-1]
    return ArtifactRow(found.session, n, ref, present=f"tool-results/{name}" in beside.files)


def _states(found: Transcript, leaves: Leaves) -> list[StateRow]:
    session = found.session
    rows = [StateRow(session, n, scope, key, value) for n, scope, key, value in found.states]
    for key, leaf in (("R1", leaves.newest), ("R2", leaves.last)):
        if leaf is not None:
            rows.append(StateRow(session, leaf, "leaf", key, found.entries[leaf].uuid))
    if leaves.hint_id is not None:
        rows.append(StateRow(session, leaves.hint, "leaf", "R3", leaves.hint_id))
    for n, meta in found.boundaries:
        rows += _preserved_states(found, n, meta)
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
