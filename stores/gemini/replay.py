"""A chat as a load sees it: the lines are replayed, and the last word on each message counts."""

import re
from pathlib import PurePath

from msgspec import Struct

from suture.model.rows import DamageRow
from suture.stores._jsonl import Piece, intake
from suture.stores._times import microseconds
from suture.stores.gemini.lines import Line, Message, decode, from_object

KINDS = {"user": "prompt", "gemini": "reply", "info": "event", "error": "event", "warning": "event"}
_SHORT = re.compile(r"[\w.-]{1,60}")


class Record(Struct):
    n: int
    kind: str
    type: str
    line: int
    offset: int
    length: int
    id: str | None = None
    parent: str | None = None
    time: int | None = None
    recovered: bool = False
    chained: bool = False
    on_chain: bool | None = None
    problem: str | None = None
    detail: str | None = None


class Kept(Struct):
    """A message that a load keeps. It stands where it was first written."""

    n: int  # record of the first writing
    message: Message
    written: int  # record of the last writing
    inside: int | None = None  # place in the messages of a checkpoint


class Chat:
    def __init__(self, path: str) -> None:
        self.path = path
        self.header: Line | None = None
        self.summary: str | None = None
        self.records: list[Record] = []
        self.damage: list[DamageRow] = []
        self.kept: dict[str, Kept] = {}

    @property
    def id(self) -> str:
        named = self.header.session_id if self.header else None
        return named or PurePath(self.path).stem

    @property
    def is_subagent(self) -> bool:
        return self.header is not None and self.header.kind == "subagent"

    @property
    def parent(self) -> str | None:
        """The chat of a subagent lies in a folder that has the name of its parent's session."""
        folder = PurePath(self.path).parent.name
        return folder if self.is_subagent and folder not in ("", "chats") else None

    def add(self, piece: Piece, line: Line | None) -> int:
        n = len(self.records)
        place = (piece.line, piece.offset, piece.length)
        record = Record(n, "unknown", "unknown", *place, recovered=piece.recovered)
        self.records.append(record)
        if line is None:
            return n
        record.id, record.time = line.id, microseconds(line.timestamp)
        if line.rewind is not None:
            self._rewind(record, line.rewind)
        elif line.id is not None:
            self._message(record, line)
        elif line.patch is not None:
            self._patch(record, line)
        elif line.is_header:
            record.kind, record.type = "header", "header"
            record.time = microseconds(line.started)
            self.header = self.header or line
            self.summary = line.summary or self.summary
        return n

    def _message(self, record: Record, line: Line) -> None:
        assert line.id is not None
        record.type = line.type or "unknown"
        known = self.kept.get(line.id)
        if known is None:
            record.kind = _kind(line)
            self.kept[line.id] = Kept(record.n, line, record.n)
            return
        first = self.records[known.n]
        record.kind, record.detail = "event", f"writes the message of line {first.line} anew"
        known.message, known.written, known.inside = line, record.n, None
        if first.id == line.id:
            first.kind = _kind(line)

    def _patch(self, record: Record, line: Line) -> None:
        assert line.patch is not None
        record.kind, record.type = "state", "$set"
        self.summary = line.patch.summary or self.summary
        if line.patch.messages is None:
            return
        record.type = "$set/messages"
        self._leave(list(self.kept), record)
        kinds = [_kind(message) for message in line.patch.messages]
        for inside, message in enumerate(line.patch.messages):
            if message.id is not None:
                self.kept[message.id] = Kept(record.n, message, record.n, inside)
        if kinds:
            record.kind = "call" if "call" in kinds else kinds[-1]

    def _rewind(self, record: Record, target: str) -> None:
        """A target that is not there clears the chat."""
        record.kind, record.type, record.parent = "state", "$rewindTo", target
        names = list(self.kept)
        if target in self.kept:
            names = names[names.index(target) :]
        else:
            record.chained = True
            record.detail = "the message to go back to is not there: a load starts with nothing"
        self._leave(names, record)

    def _leave(self, names: list[str], by: Record) -> None:
        for name in names:
            gone = self.kept.pop(name)
            if gone.inside is None:
                first = self.records[gone.n]
                first.on_chain, first.detail = False, f"taken out by line {by.line}"


def _kind(message: Message) -> str:
    if message.type == "gemini" and message.calls:
        return "call"
    return KINDS.get(message.type or "", "unknown")


def named(path: str, header: Line | None) -> str | None:
    """The id that the name of a file states in full; that of a main chat has its beginning only."""
    stem = PurePath(path).stem
    whole = header is not None and header.kind == "subagent" and _SHORT.fullmatch(stem)
    return stem if whole else None


def read_chat(unit: int, path: str, data: memoryview) -> Chat:
    chat = Chat(path)
    for piece, decoded, rows in intake(unit, path, data, decode, live=False):
        line = decoded
        if line is None and isinstance(piece.obj, dict):
            line = from_object(piece.obj)
        n = chat.add(piece, line) if len(piece.raw) else None
        chat.damage += [row._replace(n=n) for row in rows]
        if n is not None and decoded is None:
            shapes = [row.detail for row in rows if row.kind == "bad_shape"]
            chat.records[n].problem = "shape" if shapes else None
            chat.records[n].detail = shapes[0] if shapes else chat.records[n].detail
    return chat
