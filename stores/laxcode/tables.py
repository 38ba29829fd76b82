"""Sessions as the canonical tables, many at a time: a column of a thousand rows costs little."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from suture.model.answer import MARK
from suture.model.files import Files
from suture.model.rows import SessionRow
from suture.stores._sink import Sink
from suture.stores._times import each_microseconds, microseconds
from suture.stores.laxcode.artifacts import artifacts
from suture.stores.laxcode.fields import Problem
from suture.stores.laxcode.keys import Keys
from suture.stores.laxcode.odd import odd_rows
from suture.stores.laxcode.parts import parts
from suture.stores.laxcode.periods import compactions, steps, turns
from suture.stores.laxcode.session import Session, before_calls
from suture.stores.laxcode.shape import Shape
from suture.stores.laxcode.window import Entry, answered, said, whole

_KINDS = {"system": "injected", "user": "prompt", "assistant": "reply", "tool": "result"}
_NOT_STARTED_UNKNOWN = "the store does not record whether a tool was started"

# What differs from row to row; the rest of a table's columns is the same in all of them. Where
# each message has a row, a column at a time costs half of what rows do.
_COLUMNS = {
    "record": "session n kind type length key ordinal time group sent problem detail hash computed",
    "context_entry": "session version pos n kind current original_seqs call_ids result_id key",
}
_VARYING = {
    "call": "session n part call_id lane pos name batch legal_open malformed",
    "result": "session n part call_id lane pos placeholder marked digest bytes",
    "turn": "session turn start_n end_n status started ended",
    "step": "session step turn first_n last_n input_tokens output_tokens",
}
_NO_HASH = (None, None)
_UNHASHABLE = "unhashable"
_PROBLEMS = {_UNHASHABLE: _UNHASHABLE, "bad_shape": "shape"}  # others are damage alone
_TIMES = {"time", "started", "ended"}


class Tables:
    """Rows of several sessions on their way to the sink."""

    def __init__(self, sink: Sink, shape: Shape, path: str, files: Files) -> None:
        self._sink, self._shape, self._path, self._files = sink, shape, path, files
        self._rows: dict[str, list[tuple[Any, ...]]] = {name: [] for name in _VARYING}
        self._columns = {table: _empty(table) for table in _COLUMNS}
        self._payloads: dict[int, tuple[bool, bool, str, int]] = {}  # by n, of one session
        self._same: dict[str, dict[str, Any]] = {
            "record": {"table": shape.raw},
            "context_entry": {"table": shape.window},
            "call": {"reason": _NOT_STARTED_UNKNOWN},
            "turn": {"id": None},
            "step": {"id": None},
        }

    def add(self, session: Session) -> None:
        sink = self._sink
        key = sink.session_key()
        keys = Keys(self._shape, session.name)
        sink.add("session", _session(session, sink.unit, key, self._path, keys))
        self._messages(session, key, keys)
        self._entries(session, key, keys)
        self._rows["turn"] += turns(key, session)
        self._rows["step"] += steps(key, session)
        for compaction in compactions(key, session):
            sink.add("compaction", compaction)
        sink.add_all(odd_rows(session, sink.unit, key, self._path, keys))
        for artifact in artifacts(session, key, self._path, self._files):
            sink.add("artifact", artifact)
        if sink.full:
            for part in parts(session, key):
                sink.add("part", part)

    def flush(self) -> None:
        for table, names in _VARYING.items():
            rows = self._rows[table]
            columns = dict(zip(names.split(), map(list, zip(*rows, strict=True)), strict=False))
            self._add(table, len(rows), columns)
            rows.clear()
        for table, known in self._columns.items():
            self._add(table, len(known["session"]), known)
            self._columns[table] = _empty(table)

    def _add(self, table: str, count: int, columns: Mapping[str, list[Any]]) -> None:
        times = {name: each_microseconds(columns[name]) for name in _TIMES & columns.keys()}
        self._sink.add_columns(table, count, {**columns, **times, **self._same.get(table, {})})

    def _messages(self, session: Session, key: int, keys: Keys) -> None:
        raw, calls, count = session.raw, session.calls, len(session.raw)
        roles = [line.role for line in raw]
        records = self._columns["record"]
        records["session"] += [key] * count
        records["n"] += range(count)
        records["kind"] += [
            "call" if found else _KINDS.get(role, "unknown")  # type: ignore[arg-type]
            for found, role in zip(calls, roles, strict=True)
        ]
        records["type"] += [role if isinstance(role, str) else "unknown" for role in roles]
        records["length"] += [_size(said(line)) for line in raw]
        records["key"] += keys.of_raw(raw)
        records["ordinal"] += [whole(line.seq) for line in raw]
        records["time"] += [line.time for line in raw]
        records["group"] += [str(line.seq) if line.role == "assistant" else None for line in raw]
        records["sent"] += session.sent()
        problems = [*session.problems]
        if problems and problems[0] is None:
            problems[0] = _unknown_hash(session)
        records["problem"] += [_PROBLEMS.get(p.kind) if p else None for p in problems]
        records["detail"] += [p.detail if p else None for p in problems]
        hashes = [session.hashes.get(line.id, _NO_HASH) for line in raw]
        records["hash"] += [stored for stored, _ in hashes]
        records["computed"] += [computed for _, computed in hashes]
        self._calls(session, key)
        self._results(session, key)

    def _calls(self, session: Session, key: int) -> None:
        for n, found in enumerate(session.calls):
            if found:
                line = session.raw[n]
                for part, call in enumerate(found, before_calls(line)):
                    legal = session.left_out(call, n)
                    self._rows["call"].append(
                        (
                            key, n, part, call.id, "main", n, call.name, str(line.seq), legal,
                            call.malformed,
                        )
                    )  # fmt: skip

    def _results(self, session: Session, key: int) -> None:
        self._payloads.clear()
        for n, line in enumerate(session.raw):
            if line.role == "tool" and (call_id := answered(line)) is not None:
                if call_id in session.kept_calls:
                    continue  # its call comes back from there
                part = 1 if line.reasoning else 0
                payload = self._payloads[n] = _payload(said(line))
                self._rows["result"].append((key, n, part, call_id, "main", n, *payload))

    def _entries(self, session: Session, key: int, keys: Keys) -> None:
        entries, count = session.entries, len(session.entries)
        rows = self._columns["context_entry"]
        homes = [session.home(entry) for entry in entries]
        places = [pos if one.place is None else one.place for pos, one in enumerate(entries)]
        rows["session"] += [key] * count
        rows["version"] += [entry.version for entry in entries]
        rows["pos"] += places
        rows["n"] += [
            None if one.summary else home for one, home in zip(entries, homes, strict=True)
        ]
        rows["kind"] += ["summary" if entry.summary else "original" for entry in entries]
        rows["current"] += [entry.version == session.version for entry in entries]
        rows["original_seqs"] += [entry.originals for entry in entries]
        rows["call_ids"] += [[call.id for call in entry.calls] for entry in entries]
        rows["result_id"] += [entry.answers for entry in entries]
        rows["key"] += keys.of_window(session.window)
        for entry, place, home in zip(entries, places, homes, strict=True):
            if entry.version == session.version and (entry.calls or entry.answers is not None):
                self._window_pairs(session, key, entry, place, home)

    def _window_pairs(
        self, session: Session, key: int, entry: Entry, place: int, home: int | None
    ) -> None:
        n = 0 if home is None else home
        for number, call in enumerate(entry.calls):
            part = session.call_part(n, call, number)
            self._rows["call"].append(
                (
                    key, n, part, call.id, "window", place, call.name, f"window {place}", None,
                    call.malformed,
                )
            )  # fmt: skip
        if entry.answers is not None:
            part = 1 if entry.line.reasoning else 0
            same = None if entry.summary or home is None else self._payloads.get(home)
            payload = same or _payload(said(entry.line))
            self._rows["result"].append((key, n, part, entry.answers, "window", place, *payload))


def _empty(table: str) -> dict[str, list[Any]]:
    return {name: [] for name in _COLUMNS[table].split()}


def _unknown_hash(session: Session) -> Problem | None:
    """Said once a session: its hashes are made by one recipe."""
    hashed = [computed for stored, computed in session.hashes.values() if stored is not None]
    if not hashed or any(hashed):
        return None
    return Problem(_UNHASHABLE, "payload_hash", "no known order of the fields gives it")


def _payload(content: str) -> tuple[bool, bool, str, int]:
    data = content.encode("utf-8", "replace")
    marked = content.startswith(MARK)
    return marked, marked, sha256(data).hexdigest()[:16], len(data)


def _size(content: str) -> int:
    return len(content) if content.isascii() else len(content.encode("utf-8", "replace"))


def _session(session: Session, unit: int, key: int, path: str, keys: Keys) -> SessionRow:
    head, shape = session.head, session.shape
    placed = head is not None and shape.strict
    work_dir = head.get("work_dir") if head else None
    return SessionRow(
        session=key,
        unit=unit,
        store="laxcode",
        id=session.name,
        path=path,
        variant=shape.variant,
        header_id=session.name if head else None,
        created=microseconds(head.get("created_at")) if head else None,
        cwd=work_dir if isinstance(work_dir, str) and work_dir else None,
        client="laxcode",
        counter=session.counter,
        context_version=session.version,
        leaf=len(session.raw) - 1 if session.raw else None,
        numbered=True,
        first_ordinal=1,
        meta_required=head is None,
        table=shape.head if placed else None,
        key=keys.head if placed else None,
    )
