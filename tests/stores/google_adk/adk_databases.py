"""Small databases of the two session services of Google ADK."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

START = 1_772_442_840  # 2026-03-02 09:14:00 UTC
V1, SERVICE, V0 = "datetime", "real", "v0"


class Event(NamedTuple):
    id: str
    at: float
    value: dict[str, Any]
    invocation: str = "e-1"


def schema(kind: str = V1) -> str:
    time = "datetime" if kind == V0 else kind
    payload = "author text, actions blob, long_running_tool_ids_json text, content text"
    payload = payload if kind == V0 else "event_data text"
    metadata = """
create table adk_internal_metadata (key varchar(128) primary key, value varchar(256) not null);
insert into adk_internal_metadata values ('schema_version', '1');"""
    return f"""{metadata if kind == V1 else ""}
create table sessions (
  app_name text not null, user_id text not null, id text not null, state text not null,
  create_time {time} not null, update_time {time} not null, primary key (app_name, user_id, id));
create table app_states (
  app_name text not null primary key, state text not null, update_time {time} not null);
create table user_states (
  app_name text not null, user_id text not null, state text not null, update_time {time} not null,
  primary key (app_name, user_id));
create table events (
  id text not null, app_name text not null, user_id text not null, session_id text not null,
  invocation_id text not null, timestamp {time} not null, {payload},
  primary key (id, app_name, user_id, session_id));
"""


def moment(at: float, kind: str = V1) -> str:
    if kind == SERVICE:
        return repr(START + at)
    return f"'{datetime.fromtimestamp(START + at, UTC):%Y-%m-%d %H:%M:%S.%f}'"


def filled(
    events: Sequence[Event], kind: str = V1, *, session: str = "s1", user: str = "ann"
) -> str:
    first, last = moment(0, kind), moment(max((e.at for e in events), default=0), kind)
    lines = [
        f"insert into sessions values ('shop', '{user}', '{session}', '{{}}', {first}, {last});",
        f"insert or ignore into app_states values ('shop', '{{}}', {first});",
        f"insert or ignore into user_states values ('shop', '{user}', '{{}}', {first});",
    ]
    for event in events:
        value = {**event.value, "id": event.id, "timestamp": START + event.at}
        text = json.dumps({**value, "invocation_id": event.invocation}).replace("'", "''")
        lines.append(
            f"insert into events values ('{event.id}', 'shop', '{user}', '{session}', "
            f"'{event.invocation}', {moment(event.at, kind)}, '{text}');"
        )
    return "\n".join(lines)


def event(name: str, at: float, author: str, *parts: dict[str, Any], **more: Any) -> Event:
    invocation = more.pop("invocation", "e-1")
    role = "user" if author == "user" else "model"
    value = {"author": author, "content": {"role": role, "parts": list(parts)}, **more}
    return Event(name, at, value, invocation)


def text(said: str, **more: Any) -> dict[str, Any]:
    return {"text": said, **more}


def call(name: str) -> dict[str, Any]:
    return {"function_call": {"id": name, "name": "ship", "args": {}}}


def response(name: str, **body: Any) -> dict[str, Any]:
    return {"function_response": {"id": name, "name": "ship", "response": body or {"ok": True}}}


def compaction(name: str, at: float, start: float, end: float) -> Event:
    covered = {"start_timestamp": START + start, "end_timestamp": START + end}
    summary = {**covered, "compacted_content": {"role": "model", "parts": [text("so far")]}}
    return event(name, at, "user", text(""), actions={"compaction": summary})
