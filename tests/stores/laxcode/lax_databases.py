"""Small databases of the three tables, and what the store says of them."""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from suture.model.operation import Operation
from suture.model.rows import TABLES
from suture.model.unit import Unit
from suture.repair.overlay import Overlay
from suture.stores._disk import DiskFiles
from suture.stores._sink import Sink
from suture.stores.laxcode import STORE

SCHEMA = """
create table session (
  session_id text primary key not null, next_msg_seq integer not null,
  context_compassion_version integer not null, created_at text not null, updated_at text not null);
create table raw_message (
  session_id text not null, seq integer not null, role text not null,
  content text not null default '', reasoning text, tool_calls text, tool_call_id text,
  created_at text not null, primary key (session_id, seq));
create table context_window_message (
  id integer primary key autoincrement, session_id text not null, seq integer not null,
  original_seqs text not null, compassion_version integer not null default 0, role text not null,
  content text not null default '', tool_calls text, tool_call_id text, created_at text not null,
  unique (session_id, compassion_version, seq));
"""
Tables = Mapping[str, list[dict[str, Any]]]
Message = tuple[str, str, Any]  # role, content, calls or the id of the answered call
OPEN: list["Desk"] = []  # closed after each test


def time(seq: int) -> str:
    return f"2026-03-02T09:14:{seq:02d}Z"


def call(name: str, tool: str = "shell") -> dict[str, Any]:
    return {"id": name, "name": tool, "arguments": {"cmd": "make"}}


def answer(call_id: str, content: str = "done") -> Message:
    return "tool", content, call_id


def ask(*names: str, content: str = "") -> Message:
    return "assistant", content, [call(name) for name in names]


def say(role: str, content: str) -> Message:
    return role, content, None


class Desk:
    """A database on disk with edits laid over it, as a plan would."""

    def __init__(self, folder: Path, *messages: Message, session: str = "s1") -> None:
        self.path = folder / "sessions.db"
        self.session = session
        self.unit = Unit(0, "laxcode", (str(self.path),), session)
        with self.write() as database:
            if not database.execute("select 1 from sqlite_master").fetchall():
                database.executescript(SCHEMA)
        self.add_session(session, messages)
        self.disk = DiskFiles()
        self.files = Overlay(self.disk)
        OPEN.append(self)

    def close(self) -> None:
        self.files.close()
        self.disk.close()

    def write(self) -> "closing[sqlite3.Connection]":
        database = sqlite3.connect(self.path, isolation_level=None)
        database.execute("pragma synchronous = off")
        database.execute("pragma journal_mode = memory")
        return closing(database)

    def run(self, sql: str, *values: Any) -> None:
        with self.write() as database:
            database.execute(sql, values)

    def add_session(self, session: str, messages: Sequence[Message]) -> None:
        with self.write() as database:
            row = (session, len(messages) + 1, 0, time(0), time(len(messages)))
            database.execute("insert into session values (?, ?, ?, ?, ?)", row)
            for seq, (role, content, more) in enumerate(messages, 1):
                calls = json.dumps(more) if isinstance(more, list) else None
                answers = more if isinstance(more, str) else None
                database.execute(
                    "insert into raw_message values (?, ?, ?, ?, null, ?, ?, ?)",
                    (session, seq, role, content, calls, answers, time(seq)),
                )
                database.execute(
                    "insert into context_window_message values (null, ?, ?, ?, 0, ?, ?, ?, ?, ?)",
                    (session, seq, f"[{seq}]", role, content, calls, answers, time(seq)),
                )

    def compact(self, version: int, *rows: tuple[list[int], str, str]) -> None:
        """A window of (originals, role, content); content `=` takes all of the one original."""
        own = "session_id = ? and seq = ?"
        columns = "session_id, seq, original_seqs, compassion_version, created_at, role, content"
        with self.write() as database:
            for seq, (originals, role, content) in enumerate(rows, 1):
                database.execute(
                    f"insert into context_window_message ({columns}) values (?, ?, ?, ?, ?, ?, ?)",
                    (self.session, seq, json.dumps(originals), version, time(30), role, content),
                )
                if content == "=":
                    database.execute(
                        "update context_window_message set (role, content, tool_calls, "
                        f"tool_call_id) = (select role, content, tool_calls, tool_call_id "
                        f"from raw_message where {own}) where compassion_version = ? and {own}",
                        (self.session, originals[0], version, self.session, seq),
                    )
            database.execute(
                "update session set context_compassion_version = ? where session_id = ?",
                (version, self.session),
            )

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        with closing(self.files.sqlite(str(self.path))) as database:
            return database.execute(sql).fetchall()

    def window(self) -> list[tuple[Any, ...]]:
        """(seq, originals, role, first words) of the current version."""
        return self.rows(
            "select w.seq, w.original_seqs, w.role, substr(w.content, 1, 8) "
            "from context_window_message w join session s on s.session_id = w.session_id "
            "and s.context_compassion_version = w.compassion_version "
            f"where w.session_id = '{self.session}' order by w.seq"
        )

    def head(self) -> tuple[Any, ...]:
        (row,) = self.rows(
            "select next_msg_seq, context_compassion_version, updated_at from session "
            f"where session_id = '{self.session}'"
        )
        return row

    def tables(self, full: bool = False) -> Tables:
        sink = Sink(full)
        sink.start(0, None)
        STORE.read(self.unit, self.files, sink)
        found: dict[str, list[dict[str, Any]]] = {name: [] for name in TABLES}
        for name, table in sink.tables():
            found[name] += table.to_pylist()
        return found

    def repair(self, *operations: Operation) -> list[str]:
        """Lay the edits of one round over the database; returns the cache classes."""
        made = STORE.edits(self.unit, self.files, operations)
        assert len(made) == len(operations)
        self.files.add([(edit, 1) for translated in made for edit in translated.edits])
        return [translated.cache_class for translated in made]
