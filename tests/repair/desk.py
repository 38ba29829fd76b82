"""A two-file store, a database, and plans made by hand for them."""

import os
import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from suture.model.edit import (
    BytesEdit,
    Copy,
    Edit,
    FileEdit,
    RowEdit,
    SpanEdit,
    Swap,
    TwinEdit,
    Value,
)
from suture.model.files import Writer
from suture.model.operation import Policy, Safety
from suture.model.packed import zstd
from suture.model.plan import Plan, SourceState, Step, UnitPlan
from suture.repair import plan_json
from suture.repair.applier import Applied, Outcome, apply, resume
from suture.repair.settle import Checks
from suture.repair.undo import undo

REMAINING = ("aa", "bb", "bb")
MTIME_NS = 1_700_000_000_123_456_789


def digest(data: bytes) -> str:
    return sha256(data).hexdigest()


def patched(data: bytes, edits: Iterable[SpanEdit]) -> bytes:
    """The plain way to do what `splice` streams: from the end to the start."""
    out = data
    for edit in sorted(edits, key=lambda e: (e.offset, e.length), reverse=True):
        parts = [
            data[p.offset : p.offset + p.length] if isinstance(p, Copy) else p for p in edit.after
        ]
        out = out[: edit.offset] + b"".join(parts) + out[edit.offset + edit.length :]
    return out


def source(path: Path, before: bytes | None, after: bytes | None) -> SourceState:
    return SourceState(
        str(path),
        len(before or b""),
        None if before is None else digest(before),
        str(path),
        None if after is None else len(after),
        None if after is None else digest(after),
    )


def unit(
    sources: Iterable[SourceState], *edits: Edit, remaining: tuple[str, ...] = REMAINING
) -> UnitPlan:
    states = tuple(sources)
    steps = tuple(
        Step(1, f"do {i}", ("Cut",), Safety.LOSSY, "cut", (), (edit,))
        for i, edit in enumerate(edits, 1)
    )
    paths = tuple(state.path for state in states)
    return UnitPlan(paths[0], "made", paths, None, states, steps, (), remaining, ())


def plan_of(*units: UnitPlan) -> Plan:
    return Plan("0.1.0", Policy.ANSWER, None, units, ())


def dumped(plan: Plan) -> bytes:
    def before(edit: BytesEdit) -> bytes:
        data = Path(edit.path).read_bytes()
        plain = zstd.decompress(data) if edit.path.endswith(".zst") else data
        return plain[edit.offset : edit.offset + edit.length]

    return plan_json.dump(plan, before)


@dataclass
class Desk:
    """A store folder and a journal, with applying and undoing under short names."""

    store: Path
    journal: Path
    found: Callable[[UnitPlan], list[str]] = field(default=lambda unit: list(unit.remaining))
    writers: list[Writer] = field(default_factory=list)

    @property
    def checks(self) -> Checks:
        return Checks(
            lambda unit: self.writers, self.found, lambda unit, _: self.found(unit), False
        )

    def apply(self, plan: Plan, *, all_or_none: bool = False) -> Applied:
        data = dumped(plan)
        return self.apply_bytes(data, all_or_none=all_or_none)

    def apply_bytes(self, data: bytes, *, all_or_none: bool = False) -> Applied:
        loaded = plan_json.load(data)
        return apply(
            loaded, data, journal=self.journal, all_or_none=all_or_none, checks=self.checks
        )

    def resume(self, id: str) -> Applied:
        return resume(id, journal=self.journal, checks=self.checks)

    def undo(self, id: str) -> tuple[Outcome, ...]:
        return undo(id, journal=self.journal, writers=lambda unit: self.writers)

    def contents(self) -> dict[str, tuple[bytes, int, int]]:
        """Bytes, mode and time of all files below the store."""
        return {
            str(path.relative_to(self.store)): (
                path.read_bytes(),
                path.stat().st_mode,
                path.stat().st_mtime_ns,
            )
            for path in sorted(self.store.rglob("*"))
            if path.is_file()
        }

    def write(self, name: str, data: bytes, mode: int = 0o640) -> Path:
        path = self.store / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        path.chmod(mode)
        os.utime(path, ns=(MTIME_NS, MTIME_NS))
        return path

    def two_files(self) -> Plan:
        """A log that is cut and answered, its index, a new sidecar and one that goes."""
        log, index = b'{"a":1}\n{"b":2}\n{"c":', b"old index\n"
        cut = SpanEdit(str(self.store / "log.jsonl"), 16, 5, (b'{"d":4}\n', Copy(0, 8)))
        answer = SpanEdit(str(self.store / "log.jsonl"), 8, 0, (b'{"x":9}\n',))
        after = patched(log, [cut, answer])
        path, other = self.write("log.jsonl", log), self.write("index.json", index, 0o600)
        fresh, gone = self.store / "side" / "new.txt", self.write("gone.txt", b"\xff bytes")
        return plan_of(
            unit(
                [
                    source(path, log, after),
                    source(fresh, None, b"fresh"),
                    source(gone, b"\xff bytes", None),
                    source(other, index, b"new index"),
                ],
                cut,
                answer,
                FileEdit(str(fresh), None, b"fresh"),
                FileEdit(str(gone), b"\xff bytes", None),
                FileEdit(str(other), index, b"new index"),
            )
        )

    def twin(self) -> Plan:
        """A session again under another id, in a folder that is not there yet."""
        lines, made = b'{"id":"aa"}\n{"say":"aa"}\n', b'{"id":"bb"}\n{"say":"aa"}\n{"end":1}\n'
        origin, path = self.write("aa.jsonl", lines), self.store / "folder" / "bb.jsonl"
        after = (Swap(0, 12, b'"aa"', b'"bb"', 1), Copy(12, 13), b'{"end":1}\n')
        states = [source(origin, lines, lines), source(path, None, made)]
        return plan_of(unit(states, TwinEdit(str(path), str(origin), after)))

    def compressed(self) -> Plan:
        """A `.zst` whose last record is cut: it becomes a plain file."""
        data = b'{"a":1}\n' * 50 + b'{"b":'
        packed = zstd.compress(data)
        path = self.write("rollout.jsonl.zst", packed)
        edit = SpanEdit(str(path), 400, 5, (b'{"end":1}\n', Copy(8, 8)))
        after = patched(data, [edit])
        plain = str(path).removesuffix(".zst")
        state = SourceState(
            str(path), len(packed), digest(packed), plain, len(after), digest(after)
        )
        return plan_of(unit([state], SpanEdit(str(path), 400, 5, edit.after, digest(b'{"b":'))))

    def database(self) -> tuple[Path, Plan]:
        path = self.store / "sessions.db"
        connection = sqlite3.connect(path)
        connection.executescript(SCHEMA)
        connection.close()
        name = str(path)
        head: dict[str, Value] = {"session_id": "s1", "next": 3}
        edits = (
            RowEdit(name, "session", {"session_id": "s1"}, head, {**head, "next": 4}),
            RowEdit(
                name,
                "entry",
                {"id": 9},
                None,
                {"id": 9, "session_id": "s1", "body": "added \udcff", "raw": b"\x00\xff"},
            ),
            RowEdit(
                name,
                "entry",
                {"id": 2},
                {"id": 2, "session_id": "s1", "body": None, "raw": None},
                None,
            ),
            RowEdit(
                name,
                "plain",
                {"name": "x"},
                {"name": "x", "session_id": "s1", "size": 1.5},
                {"name": "x", "session_id": "s1", "size": float("inf")},
            ),
        )
        size, sha = path.stat().st_size, digest(path.read_bytes())
        state = SourceState(name, size, sha, name, None, None)
        return path, plan_of(unit([state], *edits))


SCHEMA = """
create table session(session_id text primary key not null, next integer);
create table entry(id integer primary key autoincrement, session_id text, body text, raw blob);
create table plain(name text, session_id text, size real);
create table counted(what text primary key, times integer) without rowid;
create trigger one after insert on entry begin
  update counted set times = times + 1 where what = 'entries'; end;
create trigger two after delete on entry begin
  update counted set times = times + 10 where what = 'entries'; end;
insert into session values ('s1', 3), ('s2', 1);
insert into counted values ('entries', 0), ('others', 7);
insert into entry(session_id, body, raw) values ('s1', 'one', x'00'), ('s1', null, null),
  ('s2', 'other', null);
insert into plain values ('w', 's2', 1), ('x', 's1', 1.5), ('y', 's2', null);
delete from plain where name = 'w';
"""


def dump(path: Path) -> str:
    connection = sqlite3.connect(path)
    connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
    try:
        return "\n".join(connection.iterdump())
    finally:
        connection.close()


def one_file(desk: Desk, name: str = "a.jsonl") -> UnitPlan:
    path = desk.write(name, b'{"a":1}\n{"b"')
    edit = SpanEdit(str(path), 8, 4, (b'{"c":1}\n',))
    return unit([source(path, b'{"a":1}\n{"b"', b'{"a":1}\n{"c":1}\n')], edit)


def only(outcomes: tuple[Outcome, ...]) -> tuple[str, int, str]:
    (outcome,) = outcomes
    return outcome.status, outcome.exit_code, outcome.reason or ""


def at(folder: Path) -> Desk:
    store = folder / "store"
    store.mkdir()
    return Desk(store, folder / "journal")
