"""One namespace of a thread as the canonical tables: its checkpoints, then the newest state."""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from msgspec import Struct

from suture.model.answer import is_marked
from suture.model.rows import CallRow, DamageRow, PartRow, RecordRow, ResultRow, SessionRow
from suture.stores._tables import Record
from suture.stores._times import microseconds
from suture.stores.langgraph.blobs import decode
from suture.stores.langgraph.messages import (
    Message,
    encoded,
    has_messages,
    messages,
    shown,
)
from suture.stores.langgraph.state import REFUSALS, Blobs, state
from suture.stores.langgraph.tables import BLOBS, CHECKPOINTS, NAME, Stored, row_key

_INTERRUPT, _ERROR = "__interrupt__", "__error__"
_NEXT = "branch:to:"  # such a channel holds a value while its node has still to run
_TASKS = "__pregel_tasks"

Out = Iterator[tuple[str, tuple[Any, ...]]]


class Standing(Struct):
    """A message of the newest state, or one that was written on top of it."""

    n: int
    lane: str
    message: Message
    table: str
    key: str


class View:
    def __init__(self, unit: int, session: int, path: str, stored: Stored, full: bool) -> None:
        self.unit, self.session, self.path, self.stored = unit, session, path, stored
        self.full = full
        self.blobs = Blobs(stored)
        self.wrote = stored.layout.writes
        self.created: int | None = None
        self.newest: dict[str, Any] | None = None
        self.newest_key = ""
        self.written: list[tuple[Record, Any]] = []  # on top of the newest, decoded

    def rows(self) -> Out:
        for n, row in enumerate(self.stored.checkpoints):
            yield from self._checkpoint(n, row)
        for row, words in self.blobs.refused:
            yield "damage", self._damage("bad_json", BLOBS, row, words)
        yield from self._writes()
        standing = list(self._standing())
        yield "session", self._session()
        yield from self._talk(standing)

    def _session(self) -> SessionRow:
        stored = self.stored
        last = len(stored.checkpoints) - 1
        return SessionRow(
            session=self.session,
            unit=self.unit,
            store=NAME,
            id=stored.id,
            path=self.path,
            variant=stored.layout.variant,
            kind="subagent" if stored.namespace else "main",
            parent=stored.thread if stored.namespace else None,
            created=self.created,
            client=NAME,
            leaf=last if last >= 0 else None,
        )

    def _checkpoint(self, n: int, row: Record) -> Out:
        found = state(self.stored, row)
        time, detail = microseconds(found.time), found.sealed or self.blobs.why_sealed(found)
        if found.problem is not None:
            kind, words = found.problem
            yield "damage", self._damage(kind, CHECKPOINTS, row, words, n)
        elif found.values is not None and n == len(self.stored.checkpoints) - 1:
            self.newest, self.newest_key = self.blobs.values(found), row_key(CHECKPOINTS, row)
        for words in self.blobs.lost(found):
            yield "damage", self._damage("foreign_key", CHECKPOINTS, row, words, n)
        if n == 0:
            self.created = time
        source, damage = self._source(row, n)
        if damage is not None:
            yield "damage", damage
        yield "record", self._step(n, row, source, time, detail)

    def _step(
        self, n: int, row: Record, source: str | None, time: int | None, detail: str | None
    ) -> RecordRow:
        return RecordRow(
            session=self.session,
            n=n,
            kind="state",
            type=f"checkpoint/{source}" if source else "checkpoint",
            table=CHECKPOINTS,
            key=row_key(CHECKPOINTS, row),
            id=str(row["checkpoint_id"]),
            parent=_text(row["parent_checkpoint_id"]) or None,
            time=time,
            chained=True,
            sent=False,
            detail=detail,
        )

    def _source(self, row: Record, n: int) -> tuple[str | None, DamageRow | None]:
        """The metadata is plain JSON, whatever the type of the checkpoint is."""
        if row.get("metadata") is None:
            return None, None
        try:
            found = decode("json", row["metadata"])
        except REFUSALS as error:
            damage = self._damage("bad_json", CHECKPOINTS, row, f"metadata: {error}", n)
            return None, damage._replace(field="metadata")
        return _text(found.get("source")) if isinstance(found, dict) else None, None

    def _writes(self) -> Out:
        present = {row["checkpoint_id"] for row in self.stored.checkpoints}
        last = self.stored.checkpoints[-1]["checkpoint_id"] if present else None
        for row in self.stored.writes:
            if row["checkpoint_id"] not in present:
                words = f"a write to {_text(row['channel'])!r} names a checkpoint that is not there"
                yield "damage", self._damage("foreign_key", self.wrote, row, words)
            try:
                value = decode(row["type"], row[self.stored.layout.value])
            except REFUSALS as error:
                yield "damage", self._damage("bad_json", self.wrote, row, f"value: {error}")
                continue
            if row["checkpoint_id"] == last:
                self.written.append((row, value))

    def _damage(
        self, kind: str, table: str, row: Record, detail: str, n: int | None = None
    ) -> DamageRow:
        return DamageRow(
            unit=self.unit,
            path=self.path,
            kind=kind,
            line=None,
            offset=None,
            length=None,
            detail=detail,
            session=self.session,
            n=n,
            fixable=False,
            table=table,
            key=row_key(table, row),
        )

    def _standing(self) -> Iterator[Standing]:
        n = len(self.stored.checkpoints)
        lists = {name: v for name, v in (self.newest or {}).items() if has_messages(v)}
        for name, value in lists.items():
            for one in messages(value):
                yield Standing(n, _lane(name), one, CHECKPOINTS, self.newest_key)
                n += 1
        held = {name: {one.id for one in messages(value)} for name, value in lists.items()}
        for row, value in self.written:
            name = str(row["channel"])  # what a finished task wrote enters the next state
            for one in messages(value) if name in lists else ():
                if one.id is None or one.id not in held[name]:  # else it changes that message
                    yield Standing(n, _lane(name), one, self.wrote, row_key(self.wrote, row))
                    n += 1

    def _talk(self, standing: list[Standing]) -> Out:
        pos = 0
        first: dict[tuple[str, str], int] = {}
        went_on = {s.lane: s.n for s in standing if s.message.type in ("human", "ai")}
        for s in standing:
            yield "record", self._record(s, first)
            yield from self._content(s)
            for number, call in enumerate(s.message.calls):
                pos += 1
                legal = self._pending if went_on[s.lane] == s.n else None
                yield (
                    "call",
                    CallRow(
                        session=self.session,
                        n=s.n,
                        part=number + 1,
                        call_id=call.id or "",
                        lane=s.lane,
                        pos=pos,
                        name=call.name,
                        reason=self._reason,
                        batch=s.message.id or f"record {s.n}",
                        legal_open=legal,
                        malformed=_malformed(call.id, call.name, call.args),
                    ),
                )
            if s.message.answers is not None:
                pos += 1
                yield "result", self._result(s, pos)

    @property
    def _reason(self) -> str | None:
        failed = any(row["channel"] == _ERROR for row, _ in self.written)
        return "a task of the newest checkpoint failed" if failed else None

    @property
    def _pending(self) -> str | None:
        """Why the calls at the end may be open: the graph stands still on purpose, or has only to
        go on. A task that failed is another matter."""
        channels = {str(row["channel"]) for row, _ in self.written}
        if _INTERRUPT in channels:
            return "an interrupt waits for a person's answer"
        if _ERROR in channels:
            return None
        values = self.newest or {}
        waiting = sorted(str(n).removeprefix(_NEXT) for n in values if str(n).startswith(_NEXT))
        if waiting:
            return f"the node {waiting[0][:40]!r} has still to run, a resume runs it"
        return "tasks have still to run, a resume runs them" if values.get(_TASKS) else None

    def _record(self, s: Standing, first: dict[tuple[str, str], int]) -> RecordRow:
        earlier = None
        if s.message.id is not None:
            held = first.setdefault((s.lane, s.message.id), s.n)
            earlier = held if held != s.n else None
        return RecordRow(
            session=self.session,
            n=s.n,
            kind=s.message.kind,
            type=s.message.type,
            table=s.table,
            key=s.key,
            id=s.message.id,
            group=(s.message.id or f"record {s.n}") if s.message.calls else None,
            lane=s.lane,
            sent=True,
            same_id=earlier,
        )

    def _content(self, s: Standing) -> Out:
        kind = "result" if s.message.answers is not None else "text"
        yield "part", self._part(s, 0, kind, s.message.answers, s.message.content)
        for number, call in enumerate(s.message.calls, 1):
            yield "part", self._part(s, number, "call", call.id, call.args)

    def _part(self, s: Standing, part: int, kind: str, call: str | None, value: Any) -> PartRow:
        if not self.full:
            return PartRow(self.session, s.n, part, kind, call)
        data = encoded(value)
        return PartRow(self.session, s.n, part, kind, call, len(data), shown(value), data)

    def _result(self, s: Standing, pos: int) -> ResultRow:
        data = encoded(s.message.content)
        marked = is_marked(shown(s.message.content))
        return ResultRow(
            session=self.session,
            n=s.n,
            part=0,
            call_id=s.message.answers or "",
            lane=s.lane,
            pos=pos,
            status={"success": "ok", "error": "error"}.get(s.message.status or ""),
            placeholder=marked,
            marked=marked,
            digest=sha256(data).hexdigest()[:16],
            bytes=len(data),
        )


def _lane(channel: str) -> str:
    return "main" if channel == "messages" else channel


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _malformed(call: str | None, name: str | None, args: object) -> str | None:
    if not call:
        return "it has no call id"
    if not name:
        return "it has no name"
    return None if isinstance(args, dict) else "its arguments are no object"
