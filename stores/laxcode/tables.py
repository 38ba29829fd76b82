"""Sessions as the canonical tables, many at a time: a column of a thousand rows costs little."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import pyarrow as pa

from suture.model.answer import MARK
from suture.model.edit import Value
from suture.model.files import Files
from suture.model.rows import SessionRow
from suture.stores._sink import Sink
from suture.stores._times import microseconds
from suture.stores.laxcode.artifacts import artifacts
from suture.stores.laxcode.fields import Problem
from suture.stores.laxcode.keys import Keys
from suture.stores.laxcode.odd import odd_rows
from suture.stores.laxcode.parts import parts
from suture.stores.laxcode.periods import compactions, steps, turns
from suture.stores.laxcode.session import Session, before_calls
from suture.stores.laxcode.shape import Shape
from suture.stores.laxcode.window import Entry, answered, said

_KINDS = {"system": "injected", "user": "prompt", "assistant": "reply", "tool": "result"}
_NOT_STARTED_UNKNOWN = "the store does not record whether a tool was started"

# What differs from row to row; the rest of a table's columns is the same in all of them.
_VARYING = {
    "record": "session n kind type length key ordinal time group sent problem detail hash computed",
    "context_entry": "session version pos n kind current original_seqs call_ids result_id key",
    "call": "session n part call_id lane pos name batch legal_open malformed",
    "result": "session n part call_id lane pos placeholder marked digest bytes",
    "turn": "session turn start_n end_n status started ended",
    "step": "session step turn first_n last_n input_tokens output_tokens",
}
_NO_HASH = (None, None)
_UNHASHABLE = "unhashable"
_PROBLEMS = {_UNHASHABLE: _UNHASHABLE}
_TIMES = {"time", "started", "ended"}
_STAMPS = pa.timestamp("ns", "UTC"), pa.timestamp("ns")  # with a zone; without one it is UTC


class Tables:
    """Rows of several sessions on their way to the sink."""

    def __init__(self, sink: Sink, shape: Shape, path: str, files: Files) -> None:
        self._sink, self._shape, self._path, self._files = sink, shape, path, files
        self._rows: dict[str, list[tuple[Any, ...]]] = {name: [] for name in _VARYING}
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
        for table, row in odd_rows(session, sink.unit, key, self._path, keys):
            sink.add(table, row)
        for artifact in artifacts(session, key, self._path, self._files):
            sink.add("artifact", artifact)
        if sink.full:
            for part in parts(session, key):
                sink.add("part", part)

    def flush(self) -> None:
        for table, names in _VARYING.items():
            rows = self._rows[table]
            columns: dict[str, Any] = dict(
                zip(names.split(), map(list, zip(*rows, strict=True)), strict=False)
            )
            for name in _TIMES & columns.keys():
                columns[name] = moments(columns[name])
            self._sink.add_columns(table, len(rows), columns | self._same.get(table, {}))
            rows.clear()

    def _messages(self, session: Session, key: int, keys: Keys) -> None:
        records, called, answers = (self._rows[name] for name in ("record", "call", "result"))
        unknown_hash = _unknown_hash(session)
        for n, line in enumerate(session.raw):
            found = session.calls[n]
            role, seq = line.role, line.seq
            problem = session.problems[n] or (unknown_hash if not n else None)
            kind = "call" if found else _KINDS.get(role, "unknown")  # type: ignore[arg-type]
            records.append(
                (
                    key, n, kind, role if isinstance(role, str) else "unknown",
                    _size(said(line)), keys.raw(line), seq if type(seq) is int else None,
                    line.time, str(seq) if role == "assistant" else None, session.sent(seq),
                    _PROBLEMS.get(problem.kind, "shape") if problem else None,
                    problem.detail if problem else None,
                    *session.hashes.get(line.id, _NO_HASH),
                )
            )  # fmt: skip
            if found:
                before = before_calls(line)
                for part, call in enumerate(found, before):
                    legal = session.left_out(call, n)
                    called.append(
                        (
                            key, n, part, call.id, "main", n, call.name, str(seq), legal,
                            call.malformed,
                        )
                    )  # fmt: skip
            if role == "tool" and (call_id := answered(line)) is not None:
                part = 1 if line.reasoning else 0
                answers.append((key, n, part, call_id, "main", n, *_payload(said(line))))

    def _entries(self, session: Session, key: int, keys: Keys) -> None:
        entries = self._rows["context_entry"]
        for pos, entry in enumerate(session.entries):
            place = entry.place if entry.place is not None else pos
            n = session.home(entry)
            current = entry.version == session.version
            entries.append(
                (
                    key, entry.version, place, None if entry.summary else n,
                    "summary" if entry.summary else "original", current, entry.originals,
                    [call.id for call in entry.calls], entry.answers, keys.window(entry.line),
                )
            )  # fmt: skip
            if current and (entry.calls or entry.answers is not None):
                self._window_pairs(session, key, entry, place, n if n is not None else 0)

    def _window_pairs(self, session: Session, key: int, entry: Entry, place: int, n: int) -> None:
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
            payload = _payload(said(entry.line))
            self._rows["result"].append((key, n, part, entry.answers, "window", place, *payload))


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


def moments(values: Sequence[Value]) -> list[int | None]:
    """Times of a column as microseconds: at once where all are of one form, else one by one."""
    try:
        texts = pa.array(values, pa.string())
    except (pa.ArrowInvalid, pa.ArrowTypeError, TypeError, UnicodeError):
        return [microseconds(value) for value in values]
    for stamp in _STAMPS:
        try:
            stamps = texts.cast(stamp)
        except pa.ArrowInvalid:
            continue
        found: list[int | None] = (
            stamps.cast(pa.timestamp("us", stamp.tz), safe=False).cast(pa.int64()).to_pylist()
        )
        return found
    return [microseconds(value) for value in values]


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
