"""Sessions of OpenCode as 1.18 stores them: every row is the last of the events that made it."""

import json
from collections.abc import Iterator
from itertools import count
from typing import Any

Rows = Iterator[tuple[str, tuple[object, ...]]]

_START = 1_795_972_767_000  # ms
_CALLS = ("pending", "running", "completed")
DDL = """
create table project (
  id text primary key, worktree text not null, time_created integer not null,
  time_updated integer not null, sandboxes text not null);
insert into project values ('global', '/', 1795972766950, 1795972766950, '[]');
create table session (
  id text primary key, project_id text not null references project (id) on delete cascade,
  parent_id text, slug text not null, directory text not null, title text not null,
  version text not null, cost real not null, tokens_input integer not null,
  tokens_output integer not null, tokens_reasoning integer not null,
  tokens_cache_read integer not null, tokens_cache_write integer not null, agent text,
  time_created integer not null, time_updated integer not null, time_compacting integer);
create index session_project_idx on session (project_id);
create table message (
  id text primary key, session_id text not null references session (id) on delete cascade,
  time_created integer not null, time_updated integer not null, data text not null);
create index message_session_time_created_id_idx on message (session_id, time_created, id);
create table part (
  id text primary key, message_id text not null references message (id) on delete cascade,
  session_id text not null, time_created integer not null, time_updated integer not null,
  data text not null);
create index part_message_id_id_idx on part (message_id, id);
create index part_session_idx on part (session_id);
create table event_sequence (aggregate_id text primary key, seq integer not null, owner_id text);
create table event (
  id text primary key,
  aggregate_id text not null references event_sequence (aggregate_id) on delete cascade,
  seq integer not null, type text not null, data text not null);
create unique index event_aggregate_seq_idx on event (aggregate_id, seq);
"""


class _Session:
    """Events are numbered as they come; the rows are what the last event of each id says."""

    def __init__(self, number: int) -> None:
        self.id = f"ses_{number:010x}ffe{number % 997:03}BpS8EZgp2p"
        self.number, self.ids, self.seq = number, count(), count()
        self.clock = count(_START + number * 1000, 7)
        self.messages: dict[str, tuple[int, dict[str, Any]]] = {}
        self.parts: dict[str, tuple[int, dict[str, Any]]] = {}

    def new(self, kind: str) -> str:
        return f"{kind}_{self.number:06x}{next(self.ids):06x}001Yx7TestOnly42"

    def event(self, kind: str, data: dict[str, Any]) -> tuple[str, tuple[object, ...]]:
        value = {"sessionID": self.id, **data}
        return "event", (self.new("evt"), self.id, next(self.seq), f"{kind}.1", _json(value))

    def message(self, name: str, body: dict[str, Any]) -> tuple[str, tuple[object, ...]]:
        made, _ = self.messages.get(name, (body["time"]["created"], {}))
        self.messages[name] = made, body
        return self.event("message.updated", {"info": {"id": name, "sessionID": self.id, **body}})

    def part(self, name: str, home: str, body: dict[str, Any]) -> tuple[str, tuple[object, ...]]:
        now = next(self.clock)
        made, _ = self.parts.get(name, (now, {}))
        self.parts[name] = made, {"messageID": home, **body}
        own = {"id": name, "sessionID": self.id, "messageID": home, **body}
        return self.event("message.part.updated", {"part": own, "time": now})


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def session(number: int, rows: int) -> Rows:
    """One turn is about thirty rows."""
    own = _Session(number)
    born = next(own.clock)
    info = {
        "id": own.id,
        "slug": f"cosmic-garden-{number}",
        "projectID": "global",
        "directory": "/home/dev/shop",
        "title": "Price lists",
        "agent": "build",
        "version": "1.18.33",
        "time": {"created": born, "updated": born},
    }
    yield own.event("session.created", {"info": info})
    turns = max(1, rows // 29)
    for turn in range(turns):
        yield from _turn(own, turn)
    yield from _rows(own, info, born, turns)


def _turn(own: _Session, turn: int) -> Rows:
    asked = own.new("msg")
    body: dict[str, Any] = {"role": "user", "time": {"created": next(own.clock)}}
    body |= {"agent": "build", "model": {"providerID": "local", "modelID": "m1"}}
    yield own.message(asked, body)
    text = f"Add the prices of list {turn} to the shop, and say what changed."
    yield own.part(own.new("prt"), asked, {"type": "text", "text": text})
    yield from _reply(own, asked, turn, "tool-calls")
    yield from _reply(own, asked, turn, "stop")


def _reply(own: _Session, asked: str, turn: int, finish: str) -> Rows:
    name, created = own.new("msg"), next(own.clock)
    tokens = {"input": 10, "output": 5, "reasoning": 0, "cache": {"read": 0, "write": 0}}
    body: dict[str, Any] = {"role": "assistant", "time": {"created": created}, "parentID": asked}
    body |= {"modelID": "m1", "providerID": "local", "mode": "build", "agent": "build"}
    body |= {"path": {"cwd": "/home/dev/shop", "root": "/"}, "cost": 0, "tokens": tokens}
    yield own.message(name, body)
    yield own.part(own.new("prt"), name, {"type": "step-start"})
    said, start = own.new("prt"), next(own.clock)
    yield own.part(said, name, {"type": "text", "text": "", "time": {"start": start}})
    time = {"start": start, "end": next(own.clock)}
    text = f"List {turn} is read; the prices stand in prices-{turn}.csv beside the others."
    yield own.part(said, name, {"type": "text", "text": text, "time": time})
    if finish == "tool-calls":
        yield from _call(own, name, turn)
    end = {"type": "step-finish", "reason": finish, "cost": 0, "tokens": tokens}
    yield own.part(own.new("prt"), name, end)
    done = {**body, "time": {"created": created, "completed": next(own.clock)}, "finish": finish}
    yield own.message(name, done)


def _call(own: _Session, home: str, turn: int) -> Rows:
    name, start = own.new("prt"), next(own.clock)
    call = f"toolu_{own.number:06x}{turn:06x}"
    given = {"command": f"cat prices-{turn}.csv", "description": "read the list"}
    output = "item,price\n" + f"tea {turn},3\ncoffee,4\n" * 8
    for status in _CALLS:
        state: dict[str, Any] = {"status": status, "input": given if status != "pending" else {}}
        if status == "pending":
            state["raw"] = ""
        else:
            state["time"] = {"start": start}
        if status == "completed":
            state |= {"output": output, "title": "cat", "metadata": {"exit": 0}}
            state["time"] = {"start": start, "end": next(own.clock)}
        yield own.part(name, home, {"type": "tool", "tool": "bash", "callID": call, "state": state})


def _rows(own: _Session, info: dict[str, Any], born: int, turns: int) -> Rows:
    now = next(own.clock)
    totals = (0.0, 20 * turns, 10 * turns, 0, 0, 0)
    names = (info["slug"], info["directory"], info["title"], info["version"])
    yield "session", (own.id, "global", None, *names, *totals, "build", born, now, None)
    for name, (made, body) in own.messages.items():
        yield "message", (name, own.id, made, now, _json(body))
    for name, (made, body) in own.parts.items():
        home = body["messageID"]
        data = {key: value for key, value in body.items() if key != "messageID"}
        yield "part", (name, home, own.id, made, now, _json(data))
    yield "event_sequence", (own.id, next(own.seq) - 1, None)
