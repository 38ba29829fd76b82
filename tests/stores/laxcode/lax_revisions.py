"""The real revisions of laxcode: their tables, their commits, and what they check on loading."""

import json
import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

from lax_schemas import SCHEMAS

from suture import api
from suture.model.operation import Policy
from suture.model.report import Report
from suture.model.scope import Scope, Wanted

GENERATIONS = ("B", "C", "C'")

Calls = list[dict[str, Any]]


class RefusedError(Exception):
    """The client does not open the session."""


def time(n: int) -> str:
    return f"2026-03-02 09:14:{n:02d}.000000000+00:00"


def call(name: str, tool: str = "bash") -> dict[str, Any]:
    return {"id": name, "name": tool, "arguments": {"command": "make"}}


class Player:
    """One session, written as the client commits it. `as_bytes`: JSON bound as bytes, as by Go."""

    def __init__(
        self, folder: Path, variant: str, name: str = "s-1", as_bytes: bool = True
    ) -> None:
        self.path = folder / ".laxcode" / "sessions.db"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.folder, self.variant, self.name, self.as_bytes = folder, variant, name, as_bytes
        self.last = self.generation = 0
        self.window: list[tuple[int, list[int], dict[str, Any]]] = []
        self.database = sqlite3.connect(self.path, isolation_level=None)
        self.run("pragma synchronous = off")
        if not self.rows("select 1 from sqlite_master"):
            self.database.executescript(SCHEMAS[variant])
        self._head()

    def run(self, sql: str, *values: Any) -> None:
        self.database.execute(sql, values)

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        return self.database.execute(sql, values).fetchall()

    def json(self, value: Any) -> Any:
        text = json.dumps(value, separators=(",", ":"))
        return text.encode() if self.as_bytes else text

    def _insert(self, table: str, **row: Any) -> None:
        marks = ", ".join("?" * len(row))
        self.run(f"insert into {table} ({', '.join(row)}) values ({marks})", *row.values())

    def _head(self) -> None:
        times = {"created_at": time(0), "updated_at": time(0)}
        if self.variant == "A":
            row = {"session_id": self.name, "context_version": 1, "revision": 0, "last_seq": 0}
            self._insert("session_contexts", **row, **times)
            return
        self.generation = 1
        more = {} if self.variant == "B" else {"mode": "cli", "work_dir": "/repo"}
        row = {"session_id": self.name, "revision": 0, "memory_generation": 1, "last_seq": 0}
        self._insert("request_contexts", **row, **more, **times)

    def add(self, role: str, text: str = "", calls: Calls | None = None, answers: str = "") -> None:
        message = {"role": role, "content": text, "calls": calls, "tool_call_id": answers}
        if self.variant == "A":
            self._commit_linked(message)
            return
        self.last += 1
        self._row("original", 0, self.last, [self.last], message)
        self._row("in_memory", self.generation, self.last, [self.last], message)
        self.window.append((self.last, [self.last], message))
        self._raise(last_seq=self.last)

    def _row(
        self, kind: str, generation: int, seq: int, originals: list[int], message: dict[str, Any]
    ) -> None:
        self._insert(
            "messages",
            session_id=self.name,
            message_type=kind,
            memory_generation=generation,
            seq=seq,
            original_seq_json=self.json(originals),
            role=message["role"],
            tool_call_id=message["tool_call_id"],
            content=message["content"],
            tool_calls_json=self.json(message["calls"]),
            created_at=time(seq),
            updated_at=time(seq),
        )

    def _raise(self, **head: Any) -> None:
        table = "session_contexts" if self.variant == "A" else "request_contexts"
        sets = ", ".join(f"{name} = ?" for name in head)
        sql = f"update {table} set revision = revision + 1, {sets} where session_id = ?"
        self.run(sql, *head.values(), self.name)

    def compact(self, first: int, last: int, text: str) -> None:
        """The rows of these numbers become one message of the user, in the next generation."""
        merged = [row for row in self.window if first <= row[0] <= last]
        originals = sorted(seq for _, seqs, _ in merged for seq in seqs)
        summary = {"role": "user", "content": text, "calls": None, "tool_call_id": ""}
        kept = [row for row in self.window if row not in merged]
        self.window = sorted([*kept, (originals[0], originals, summary)], key=lambda row: row[0])
        self.generation += 1
        for seq, seqs, message in self.window:
            self._row("in_memory", self.generation, seq, seqs, message)
        self._raise(memory_generation=self.generation)

    def _commit_linked(self, message: dict[str, Any], kind: str = "original") -> str:
        system = message["role"] == "system"
        self.last += not system
        seq = 0 if system else self.last
        row = {
            "message_id": f"m-{seq}",
            "session_id": self.name,
            "seq": seq,
            "message_kind": "system" if system else kind,
            "role": message["role"],
            "turn_id": f"turn-{seq}" if message["role"] == "assistant" else "",
            "tool_call_group_id": f"tool-group-{seq}" if message["calls"] else "",
            "tool_call_id": message["tool_call_id"],
            "content": message["content"],
            "reasoning_content": "",
            "tool_calls_json": self.json(message["calls"]),
            "token_input": 0,
            "token_output": 0,
            "created_at": time(self.last),
        }
        self._insert("messages", **row, payload_hash=go_hash(row))
        name = {"session_id": self.name, "message_id": row["message_id"]}
        (place,) = self.rows(
            "select count(*) from session_context_messages where session_id = ?", self.name
        )
        self._insert("session_context_messages", **name, position=place[0])
        if not system:
            self._insert("history_entries", **name, seq=seq, committed_at=time(seq))
        self._raise(last_seq=self.last)
        return str(row["message_id"])

    def shorten(self, seq: int, text: str) -> None:
        """Variant A compacts a message alone: a new row that names its original."""
        self.run(
            "insert into messages select 'c-' || seq, session_id, seq, 'compacted', message_id, "
            "role, turn_id, tool_call_group_id, tool_call_id, ?, reasoning_id, reasoning_content, "
            "tool_calls_json, artifact_id, artifact_byte_size, token_input, token_output, 'x', "
            "created_at from messages where message_id = ?",
            text,
            f"m-{seq}",
        )
        self.run(
            "update session_context_messages set message_id = ? where message_id = ?",
            f"c-{seq}",
            f"m-{seq}",
        )

    def load(self) -> list[tuple[Any, ...]]:
        """(role, content, calls, answered call) as sent to the model. Raises RefusedError."""
        return _load_linked(self) if self.variant == "A" else _load_generation(self)

    def close(self) -> None:
        self.database.close()

    def check(self) -> Report:
        return api.check(self.scope, self.folder / "journal")

    @property
    def scope(self) -> Scope:
        return Scope((str(self.path),), assume="dead", now=1_800_000_000_000_000)

    def repair(self, policy: Policy = Policy.ANSWER, take: tuple[int, ...] = ()) -> str:
        """Plan and apply; returns the id of the journal."""
        plan = self.folder / "plan.json"
        api.plan(self.scope, Wanted(policy, take=take), plan)
        done = api.apply(plan, self.folder / "journal")
        assert done.exit_code in (0, 1), done.outcomes
        return str(done.journal)

    def undo(self, journal: str) -> None:
        api.undo(journal, self.folder / "journal")

    def dump(self) -> list[str]:
        with closing(sqlite3.connect(self.path)) as database:
            return list(database.iterdump())


def told(report: Report) -> list[tuple[str, str]]:
    return [(item.finding.rule, " ".join(item.finding.ids)) for item in report.findings]


def go_hash(row: dict[str, Any]) -> str:
    """SHA-256 of the message as Go writes it, empty fields left out."""
    calls = json.loads(row["tool_calls_json"])
    fields: dict[str, Any] = {
        "seq": row["seq"],
        "turn_id": row["turn_id"],
        "tool_call_group_id": row["tool_call_group_id"],
        "role": row["role"],
        "content": row["content"],
        "tool_calls": calls,
        "tool_call_id": row["tool_call_id"],
        "token_used": {"token_input": 0, "token_output": 0},
    }
    kept = {k: v for k, v in fields.items() if v or k in ("role", "content")}
    text = json.dumps(kept, separators=(",", ":"), ensure_ascii=False)
    for char in "<>&":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return sha256(text.encode()).hexdigest()


def _load_generation(player: Player) -> list[tuple[Any, ...]]:
    found = player.rows(
        "select memory_generation, last_seq from request_contexts where session_id = ?",
        player.name,
    )
    if not found:
        return []
    generation, last = found[0]
    rows = player.rows(
        "select seq, original_seq_json, role, content, tool_calls_json, tool_call_id from messages "
        "where session_id = ? and message_type = 'in_memory' and memory_generation = ? "
        "order by seq",
        player.name,
        generation,
    )
    _need(bool(rows) or last == 0, "an empty window")
    before = 0
    for n, (seq, listed, role, *_) in enumerate(rows):
        originals = json.loads(listed)
        _need((role == "system") == (n == 0), "the system prompt")
        _need(before < seq <= last, "the numbers")
        _need(originals[0] == seq and originals == sorted(set(originals)), "the originals")
        _need(originals[-1] <= last, "the originals")
        before = seq
    _need(before == last, "the last number")
    return [_sent(*row[2:]) for row in rows]


def _load_linked(player: Player) -> list[tuple[Any, ...]]:
    ((last,),) = player.rows(
        "select last_seq from session_contexts where session_id = ?", player.name
    )
    rows = player.rows(
        "select m.seq, m.role, m.content, m.tool_calls_json, m.tool_call_id "
        "from messages m join session_context_messages l on l.message_id = m.message_id "
        "where l.session_id = ? order by l.position",
        player.name,
    )
    before = 0
    for n, (seq, role, *_) in enumerate(rows):
        if role == "system":
            _need(n == 0 and seq == 0, "the system prompt")
            continue
        _need(before < seq <= last, "the numbers")
        before = seq
    return [_sent(*row[1:]) for row in rows]


def _need(condition: bool, what: str) -> None:
    if not condition:
        raise RefusedError(what)


def _sent(role: str, content: str, calls: Any, answers: str) -> tuple[Any, ...]:
    return role, content, [one["id"] for one in json.loads(calls or "null") or []], answers


def is_legal(sent: list[tuple[Any, ...]]) -> bool:
    """What a provider takes: each call answered right after its message, nothing else answered."""
    waiting: set[str] = set()
    for role, content, calls, answers in sent:
        if role == "tool":
            if answers not in waiting:
                return False
            waiting.discard(answers)
            continue
        if waiting or not (content or calls):
            return False
        waiting = set(calls)
    return not waiting
