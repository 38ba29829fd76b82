"""One transcript file, read once, line by line."""

import json
from collections.abc import Sequence
from itertools import accumulate
from operator import attrgetter
from sys import intern

from msgspec import UNSET, Raw, UnsetType

from suture.model.rows import DamageRow
from suture.stores._jsonl import Healthy, Piece, duplicate_keys, is_healthy, stretches
from suture.stores._nul import suspect, suspects
from suture.stores._times import many_microseconds, zoned
from suture.stores.claude_code.blocks import calls_and_results, parts_of
from suture.stores.claude_code.copies import Copies, compare_answers
from suture.stores.claude_code.kinds import CHAINED, kind_of, rendered_of, type_of
from suture.stores.claude_code.lines import CompactMetadata, Line, decode, from_object
from suture.stores.claude_code.steps import Steps
from suture.stores.claude_code.view import Entry, Transcript

_session_of, _version_of = attrgetter("session_id"), attrgetter("version")
_stamp_of = attrgetter("timestamp")


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
    walk = _Walk(found, main, full)
    for stored in stretches(session >> 32, path, data, decode, live):
        if is_healthy(stored):
            walk.stretch(stored)
        else:
            assert isinstance(stored, tuple)
            walk.piece(*stored)
    found.steps = walk.steps.rows()
    compare_answers(found)
    return found


class _Walk:
    """What the walk over the lines remembers."""

    def __init__(self, found: Transcript, main: bool, full: bool) -> None:
        self.steps = Steps(found)
        self._found, self._main, self._full = found, main, full
        self._copies = Copies(found)
        self._previous: str | None = None  # uuid of the last record of the main lane

    def stretch(self, lines: Healthy[Line]) -> None:
        """All the records of a stretch of healthy lines."""
        lengths = list(map(len, lines.raws))
        ends = accumulate(lengths, lambda at, length: at + length + 1, initial=lines.offset)
        places = zip(range(lines.line, lines.line + len(lengths)), ends, lengths, strict=False)
        first = len(self._found.entries)
        self._found.doubtful = suspects(first, lines.raws, lines.text)
        self._names(lines.values)
        times = many_microseconds(list(map(_stamp_of, lines.values)), zoned).to_pylist()
        for raw, place, line, time in zip(lines.raws, places, lines.values, times, strict=True):
            entry = self._record(*place, False, line, time)
            if entry.kind == "unknown" or entry.same_id is not None:
                _repeated_keys(self._found, entry, raw)
            if self._full:
                piece = Piece(*place, raw, False)
                self._found.parts += parts_of(self._found.session, entry.n, piece)

    def piece(self, piece: Piece, decoded: Line | None, damage: Sequence[DamageRow]) -> None:
        """A line of which something is to be said, or what was won from it."""
        found = self._found
        n = len(found.entries)
        is_record = bool(piece.raw) or piece.obj is not None
        if damage:
            rows = [
                row._replace(session=found.session, n=n if is_record else None) for row in damage
            ]
            found.damage += rows
        if not is_record:
            return
        line = decoded if decoded is not None else _odd_line(found, n, piece)
        if line is None:
            found.entries.append(_scalar(n, piece))
            return
        found.doubtful = suspect(n, piece.raw)
        self._names([line])
        (time,) = many_microseconds([line.timestamp], zoned).to_pylist()
        place = (piece.line, piece.offset, piece.length)
        entry = self._record(*place, piece.recovered, line, time)
        if piece.obj is None and (entry.kind == "unknown" or entry.same_id is not None):
            _repeated_keys(found, entry, piece.raw)
        if self._full:
            found.parts += parts_of(found.session, n, piece)

    def _names(self, lines: Sequence[Line]) -> None:
        """Sessions and versions that the lines name."""
        self._found.sessions.update(map(_session_of, lines))
        self._found.versions |= dict.fromkeys(map(_version_of, lines))

    def _record(
        self, number: int, offset: int, length: int, recovered: bool, line: Line, time: int | None
    ) -> Entry:
        found, uuid = self._found, line.uuid
        message, parent, n = line.message, line.parent_uuid, len(found.entries)
        chained = uuid is not None and line.type in CHAINED
        if parent is UNSET:  # written by an SDK or plugin: it follows what stands before
            parent = self._previous if chained else None
        elif parent is not None and (holder := found.by_id.get(parent)) is not None:
            parent = found.entries[holder].uuid  # one string for both
        source = line.source_tool_assistant_uuid
        status = None if message is None else message.stop_reason
        entry = Entry(
            n,
            number,
            offset,
            length,
            recovered,
            kind_of(line),
            intern(type_of(line)),
            uuid,
            parent,
            line.logical_parent_uuid,
            message.id if message is not None else None,
            (line.agent_id or "side") if self._main and line.is_sidechain else "main",
            time,
            chained,
            rendered_of(line),
            None if status is None else intern(status),
            None if line.session_id is None else intern(line.session_id),
            parent if source == parent else source,
        )
        found.entries.append(entry)
        _facts(found, entry, line)
        if uuid is not None:
            self._copies.compare(entry)
            if chained:
                found.by_id[uuid] = n
                if entry.lane == "main":
                    self._previous = uuid
        if entry.copy_of is None:
            calls_and_results(found, entry, line)
            self.steps.add(entry, line)
        return entry


def _odd_line(found: Transcript, n: int, piece: Piece) -> Line | None:
    """A line with a field of another type than expected: that field counts as absent."""
    if not isinstance(piece.obj, dict):
        return None
    line, wrong = from_object(piece.obj)
    if wrong:
        text = f"{', '.join(wrong[:3])} of a type that no client writes"
        place = (piece.line, piece.offset, piece.length)
        found.damage.append(_damage(found, n, place, "bad_shape", wrong[0], text))
    return line


def _repeated_keys(found: Transcript, entry: Entry, raw: bytes | memoryview) -> None:
    """Looked for where a repeated key would show: in an odd type or an id that is taken."""
    names = duplicate_keys(bytes(raw))
    if names:
        text = f"stands twice, the last one wins: {', '.join(names)}"[:200]
        place = (entry.number, entry.offset, entry.length)
        found.damage.append(_damage(found, entry.n, place, "duplicate_key", names[0], text))


def _scalar(n: int, piece: Piece) -> Entry:
    return Entry(
        n, piece.line, piece.offset, piece.length, piece.recovered, "scalar", "scalar",
        None, None, None, None, "main", None, False, False, None, None, None,
    )  # fmt: skip


def _facts(found: Transcript, entry: Entry, line: Line) -> None:
    if found.created is None:
        found.created = entry.time
    if found.cwd is None:
        found.cwd = line.cwd
    if found.agent is None:
        found.agent = line.agent_id
    kind = entry.kind
    if kind == "boundary":
        found.boundaries.append((entry.n, line.compact_metadata or CompactMetadata()))
    elif kind == "index":
        if line.type != "last-prompt":
            _state(found, entry.n, line)
        elif line.leaf_uuid is not None:
            found.hints.append((entry.n, line.leaf_uuid))


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
    found: Transcript, n: int, place: tuple[int, int, int], kind: str, name: str, detail: str
) -> DamageRow:
    row = DamageRow(found.session >> 32, found.path, kind, *place, detail, found.session, n)
    return row._replace(field=name, fixable=False)
