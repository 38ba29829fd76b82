"""One transcript file, read once, line by line."""

import json
from datetime import UTC, datetime, timedelta
from sys import intern

from msgspec import UNSET, Raw, UnsetType

from suture.model.rows import DamageRow
from suture.stores._jsonl import Piece, duplicate_keys, intake
from suture.stores.claude_code.blocks import calls_and_results, parts_of
from suture.stores.claude_code.copies import Copies, compare_answers
from suture.stores.claude_code.kinds import CHAINED, is_rendered, kind_of, type_of
from suture.stores.claude_code.lines import CompactMetadata, Line, decode, from_object
from suture.stores.claude_code.steps import Steps
from suture.stores.claude_code.view import Entry, Transcript

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def read_transcript(
    session: int,
    path: str,
    data: memoryview,
    *,
    main: bool = True,
    full: bool = False,
    live: bool = False,
) -> Transcript:
    """`main`: not the file of a subagent, where every line is a side line."""
    found = Transcript(session, path, data)
    unit = session >> 32
    copies, steps = Copies(found), Steps(found)
    previous: str | None = None
    for piece, decoded, damage in intake(unit, path, data, decode, live):
        n = len(found.entries)
        is_record = bool(piece.raw) or piece.obj is not None
        if damage:
            rows = [row._replace(session=session, n=n if is_record else None) for row in damage]
            found.damage += rows
        if not is_record:
            continue
        line = decoded if decoded is not None else _odd_line(found, n, piece)
        if line is None:
            found.entries.append(_scalar(n, piece))
            continue
        entry = _entry(found, n, piece, line, main, previous)
        found.entries.append(entry)
        _facts(found, entry, line)
        if entry.uuid is not None:
            copies.compare(entry)
            if entry.chained:
                found.by_id[entry.uuid] = n
                if entry.lane == "main":
                    previous = entry.uuid
        if piece.obj is None and (entry.kind == "unknown" or entry.same_id is not None):
            _repeated_keys(found, entry, piece)
        if entry.copy_of is None:
            calls_and_results(found, entry, line)
            steps.add(entry, line)
        if full:
            found.parts += parts_of(session, n, piece)
    found.steps = steps.rows()
    compare_answers(found)
    return found


def _odd_line(found: Transcript, n: int, piece: Piece) -> Line | None:
    """A line with a field of another type than expected: that field counts as absent."""
    if not isinstance(piece.obj, dict):
        return None
    line, wrong = from_object(piece.obj)
    if wrong:
        text = f"{', '.join(wrong[:3])} of a type that no client writes"
        found.damage.append(_damage(found, n, piece, "bad_shape", wrong[0], text))
    return line


def _repeated_keys(found: Transcript, entry: Entry, piece: Piece) -> None:
    """Looked for where a repeated key would show: in an odd type or an id that is taken."""
    names = duplicate_keys(bytes(piece.raw))
    if names:
        text = f"stands twice, the last one wins: {', '.join(names)}"[:200]
        found.damage.append(_damage(found, entry.n, piece, "duplicate_key", names[0], text))


def _entry(
    found: Transcript, n: int, piece: Piece, line: Line, main: bool, previous: str | None
) -> Entry:
    message = line.message
    chained = line.type in CHAINED and line.uuid is not None
    parent = line.parent_uuid
    if parent is UNSET:  # written by an SDK or plugin: it follows what stands before
        parent = previous if chained else None
    elif parent is not None and (holder := found.by_id.get(parent)) is not None:
        parent = found.entries[holder].uuid  # one string for both
    source = line.source_tool_assistant_uuid
    return Entry(
        n,
        piece.line,
        piece.offset,
        piece.length,
        piece.recovered,
        kind_of(line),
        intern(type_of(line)),
        line.uuid,
        parent,
        line.logical_parent_uuid,
        message.id if message is not None else None,
        (line.agent_id or "side") if main and line.is_sidechain else "main",
        None if line.timestamp is None else (line.timestamp - _EPOCH) // _MICROSECOND,
        chained,
        is_rendered(line),
        None if message is None or message.stop_reason is None else intern(message.stop_reason),
        None if line.session_id is None else intern(line.session_id),
        parent if source == parent else source,
    )


def _scalar(n: int, piece: Piece) -> Entry:
    return Entry(
        n, piece.line, piece.offset, piece.length, piece.recovered, "scalar", "scalar",
        None, None, None, None, "main", None, False, False, None, None, None,
    )  # fmt: skip


def _facts(found: Transcript, entry: Entry, line: Line) -> None:
    if line.session_id is not None:
        found.sessions[line.session_id] += 1
    if line.version is not None:
        found.versions[line.version] = None
    if found.created is None:
        found.created = entry.time
    if found.cwd is None:
        found.cwd = line.cwd
    if found.agent is None:
        found.agent = line.agent_id
    if entry.kind == "boundary":
        found.boundaries.append((entry.n, line.compact_metadata or CompactMetadata()))
    elif line.type == "last-prompt":
        if line.leaf_uuid is not None:
            found.hints.append((entry.n, line.leaf_uuid))
    elif entry.kind == "index":
        _state(found, entry.n, line)


def _state(found: Transcript, n: int, line: Line) -> None:
    if line.type == "queue-operation":
        found.states.append((n, "queue", line.operation or "", _string(line.content)))
    for key, value in (
        ("custom-title", line.custom_title),
        ("ai-title", line.ai_title),
        ("summary", line.summary),
    ):
        if value is not None:
            found.states.append((n, "title", key, value))


def _string(content: Raw | UnsetType) -> str | None:
    if content is UNSET:
        return None
    text = bytes(memoryview(content)).decode("utf-8", "replace")
    value = json.loads(text, strict=False)
    return value if isinstance(value, str) else text


def _damage(
    found: Transcript, n: int, piece: Piece, kind: str, name: str, detail: str
) -> DamageRow:
    return DamageRow(
        found.session >> 32,
        found.path,
        kind,
        piece.line,
        piece.offset,
        piece.length,
        detail,
        found.session,
        n,
        field=name,
        fixable=False,
    )
