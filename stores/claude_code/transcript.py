"""One transcript file, read once, line by line."""

from collections.abc import Sequence
from itertools import compress, count
from operator import attrgetter

from suture.model.files import give_back
from suture.model.rows import DamageRow
from suture.stores._jsonl import Healthy, Piece, duplicate_keys, is_healthy, stretches
from suture.stores._nul import suspect, suspects
from suture.stores.claude_code.bare import bare_items
from suture.stores.claude_code.blocks import calls_and_results, parts_of
from suture.stores.claude_code.copies import compare_answers
from suture.stores.claude_code.kinds import is_unknown, of_assistant, of_user, unspoken
from suture.stores.claude_code.lines import Line, Message, decode, from_object
from suture.stores.claude_code.odd import no_attachment
from suture.stores.claude_code.parents import Parents
from suture.stores.claude_code.records import (
    ANSWER,
    ASSISTANT,
    CHAINED,
    LINK,
    MAIN,
    RENDERED,
    TALK,
    USER,
    either,
    marked,
)
from suture.stores.claude_code.references import NAMING
from suture.stores.claude_code.stated import boundary, state
from suture.stores.claude_code.unnamed import link_unnamed
from suture.stores.claude_code.view import Transcript

_session_of, _version_of = attrgetter("session_id"), attrgetter("version")
_uuid_of, _parent_of = attrgetter("uuid"), attrgetter("parent_uuid")
_stamp_of, _type_of = attrgetter("timestamp"), attrgetter("type")
_message_of = attrgetter("message")
_OF_MODEL, _OF_USER = CHAINED | TALK | RENDERED | ASSISTANT, CHAINED | TALK | RENDERED | USER
_MANY = 1000  # types of lines; a client writes some fifty


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
    found.steps.close()
    if found.unnamed:
        link_unnamed(found)
    found.records.settle()
    compare_answers(found)
    give_back(data, 0, len(data))
    return found


class _Walk:
    """What the walk over the lines remembers."""

    def __init__(self, found: Transcript, main: bool, full: bool) -> None:
        self._found, self._main, self._full = found, main, full
        self._parents = Parents(found)
        self._known: dict[tuple[str | None, ...], tuple[str, str, int]] = {}
        self._bare: list[int] = []  # attachment lines without one
        self._strange: list[int] = []  # of the records at hand: a key may stand twice in them

    def stretch(self, lines: Healthy[Line]) -> None:
        """All the records of a stretch of healthy lines."""
        records, first = self._found.records, len(self._found.records)
        records.take_places(lines)
        self._found.doubtful = suspects(first, lines.raws, lines.text)
        self._walk(first, lines.values)
        for n in self._strange:
            _repeated_keys(self._found, n, lines.raws[n - first])
        if self._full:
            for n, raw in enumerate(lines.raws, first):
                piece = Piece(*records.place(n), raw.removesuffix(b"\n"), False)
                self._found.parts += parts_of(self._found.session, n, piece)
        records.cut_chunk()

    def piece(self, piece: Piece, decoded: Line | None, damage: Sequence[DamageRow]) -> None:
        """A line of which something is to be said, or what was won from it."""
        found, records = self._found, self._found.records
        n = len(records)
        is_record = bool(piece.raw) or piece.obj is not None
        line = decoded if decoded is not None or not is_record else _odd_line(found, n, piece)
        found.damage += [
            row._replace(session=found.session, n=n if is_record else None)
            for row in damage
            if row.kind != "bad_shape" or line is None or not is_unknown(line)
        ]
        if not is_record:
            return
        records.add_place(piece)
        if line is None:
            self._scalar()
            return
        found.doubtful = suspect(n, piece.raw)
        self._walk(n, [line])
        if piece.obj is None and self._strange:
            _repeated_keys(found, n, piece.raw)
        if self._full:
            found.parts += parts_of(found.session, n, piece)
        records.cut_chunk()

    def _scalar(self) -> None:
        """A line that is JSON and no object."""
        records = self._found.records
        records.kind.append("scalar")
        records.type.append("scalar")
        records.marks.append(MAIN)
        records.up.append(-1)
        for column in (records.id, records.parent, records.stamp, records.group, records.status,
                       records.session):  # fmt: skip
            column.append(None)

    def _walk(self, first: int, lines: Sequence[Line]) -> None:
        found, records = self._found, self._found.records
        self._strange.clear()
        messages = list(map(_message_of, lines))
        self._names(lines, messages)
        kinds = self._kinds(first, lines, messages)
        self._parents.take(first)
        if records.same_ids or "unknown" in kinds:
            numbered = enumerate(kinds, first)
            self._strange += [n for n, k in numbered if k == "unknown" or n in records.same_ids]
        marks, copies = records.marks[first:], records.copies
        if copies:
            for at in range(len(lines)):
                if first + at in copies:
                    marks[at] = 0
        spoken = either(marked(marks, USER), marked(marks, ASSISTANT))
        calls_and_results(found, compress(zip(count(first), lines, messages), spoken))
        found.steps.take(compress(zip(count(first), lines, kinds), marked(marks, LINK)))
        self._rare(first, lines, kinds, marks)
        records.by_id.settle()
        found.steps.settle()
        found.calls.settle()
        found.results.settle()

    def _rare(
        self, first: int, lines: Sequence[Line], kinds: Sequence[str], marks: bytearray
    ) -> None:
        found = self._found
        if "summary" in kinds:
            numbered = zip(count(first), kinds, marks)
            summaries = [n for n, kind, mark in numbered if kind == "summary" and mark]
            found.summaries += [(n, found.records.value("parent", n)) for n in summaries]
        for n in self._bare:
            if marks[n - first]:
                no_attachment(found, n)
        self._bare.clear()

    def _kinds(
        self, first: int, lines: Sequence[Line], messages: Sequence[Message | None]
    ) -> list[str]:
        """What each record is; its kind is returned."""
        records, in_main = self._found.records, self._main
        kinds, types = list[str](), list(map(_type_of, lines))
        add_kind, add_mark = kinds.append, records.marks.append
        unnamed = self._found.unnamed.append
        for n, (line, full_type, message) in enumerate(zip(lines, types, messages, strict=True)):
            if full_type == "assistant":
                kind = of_assistant(message)
                mark = _OF_MODEL ^ RENDERED if line.is_api_error_message else _OF_MODEL
            elif full_type == "user":
                kind = of_user(line, message)
                mark = _OF_USER | ANSWER if kind == "result" else _OF_USER
            else:
                kind, types[n], mark = self._unspoken(first + n, line)
            if line.uuid is None and mark & CHAINED:
                mark ^= CHAINED
                if kind != "event":
                    unnamed(first + n)
            if line.is_sidechain and in_main:
                records.lanes[first + n] = line.agent_id or "side"
            else:
                mark |= MAIN
            add_kind(kind)
            add_mark(mark)
        records.kind += kinds
        records.type += types
        return kinds

    def _names(self, lines: Sequence[Line], messages: Sequence[Message | None]) -> None:
        """Sessions, versions and what else the lines name."""
        found, records = self._found, self._found.records
        sessions = list(map(_session_of, lines))
        found.sessions.update(sessions)
        records.session += sessions
        records.id += map(_uuid_of, lines)
        records.parent += map(_parent_of, lines)
        records.stamp += map(_stamp_of, lines)
        records.group += [None if message is None else message.id for message in messages]
        records.status += [None if message is None else message.stop_reason for message in messages]
        found.versions |= dict.fromkeys(map(_version_of, lines))
        if found.cwd is None:
            found.cwd = next((line.cwd for line in lines if line.cwd is not None), None)
        if found.agent is None:
            found.agent = next((line.agent_id for line in lines if line.agent_id is not None), None)

    def _unspoken(self, n: int, line: Line) -> tuple[str, str, int]:
        """Kind, type and marks; what the line states is noted."""
        key = (line.type, line.subtype, None if line.attachment is None else line.attachment.type)
        known = self._known.get(key)
        if known is None:
            known = unspoken(line)
            if len(self._known) < _MANY:
                self._known[key] = known
        kind, full_type, _ = known
        if full_type == "attachment" and line.attachment is None:
            self._bare.append(n)
        if full_type in NAMING:
            self._found.naming.append((n, full_type))
        if kind == "boundary":
            boundary(self._found, n, line)
        elif kind == "index":
            state(self._found, n, line)
        return known


def _odd_line(found: Transcript, n: int, piece: Piece) -> Line | None:
    """A line with a field of another type than expected: that field counts as absent."""
    if not isinstance(piece.obj, dict):
        return None
    bare_items(found, n, piece)
    line, wrong = from_object(piece.obj)
    if wrong and not is_unknown(line):
        text = f"{', '.join(wrong[:3])} of a type that no client writes"
        place = (piece.line, piece.offset, piece.length)
        found.damage.append(_damage(found, n, place, "bad_shape", wrong[0], text))
    return line


def _repeated_keys(found: Transcript, n: int, raw: bytes | memoryview) -> None:
    """Looked for where a repeated key would show: in an odd type or an id that is taken."""
    names = duplicate_keys(bytes(raw))
    if names:
        text = f"stands twice, the last one wins: {', '.join(names)}"[:200]
        place = found.records.place(n)
        found.damage.append(_damage(found, n, place, "duplicate_key", names[0], text))


def _damage(
    found: Transcript, n: int, place: tuple[int, int, int], kind: str, name: str, detail: str
) -> DamageRow:
    row = DamageRow(found.session >> 32, found.path, kind, *place, detail, found.session, n)
    return row._replace(field=name, fixable=False)
