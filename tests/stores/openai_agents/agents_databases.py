"""Small databases of the three sessions of the OpenAI Agents SDK."""

import json
from collections.abc import Sequence
from typing import Any

BY_TIME = "create index by_time on {messages} (session_id, created_at);"
BRANCHES = """
create table message_structure (
  id integer primary key autoincrement, session_id text not null, message_id integer not null,
  branch_id text not null default 'main', message_type text not null,
  sequence_number integer not null, user_turn_number integer, branch_turn_number integer,
  tool_name text, created_at timestamp default current_timestamp,
  foreign key (message_id) references agent_messages (id) on delete cascade);
"""
Item = dict[str, Any] | str | None


def schema(sessions: str = "agent_sessions", messages: str = "agent_messages") -> str:
    return f"""
create table "{sessions}" (session_id text primary key, created_at timestamp, updated_at timestamp);
create table "{messages}" (
  id integer primary key autoincrement, session_id text not null, message_data text,
  created_at timestamp,
  foreign key (session_id) references "{sessions}" (session_id) on delete cascade);
"""


def quoted(value: str | None) -> str:
    return "null" if value is None else "'" + value.replace("'", "''") + "'"


def time(second: int) -> str:
    return f"2026-03-02 09:14:{second:02d}"


def filled(
    items: Sequence[Item],
    session: str = "s1",
    *,
    sessions: str = "agent_sessions",
    messages: str = "agent_messages",
    times: Sequence[int] = range(60),
) -> str:
    head = f"insert into \"{sessions}\" values ('{session}', '{time(0)}', '{time(0)}');"
    texts = [json.dumps(item) if isinstance(item, dict) else item for item in items]
    rows = [
        f'insert into "{messages}" (session_id, message_data, created_at) '
        f"values ('{session}', {quoted(text)}, '{time(times[at])}');"
        for at, text in enumerate(texts)
    ]
    return "\n".join((head, *rows))


def listed(*rows: tuple[int, str, int]) -> str:
    """(message, branch, sequence number)."""
    return "\n".join(
        "insert into message_structure (session_id, message_id, branch_id, message_type, "
        "sequence_number, user_turn_number, branch_turn_number) "
        f"values ('s1', {message}, '{branch}', 'x', {number}, 1, 1);"
        for message, branch, number in rows
    )


def user(text: str = "go") -> dict[str, Any]:
    return {"role": "user", "content": text}


def say(text: str = "done") -> dict[str, Any]:
    return {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": text}],
    }


def call(name: str, **more: Any) -> dict[str, Any]:
    return {"type": "function_call", "call_id": name, "name": "make", "arguments": "{}", **more}


def output(name: str, text: str = "ok") -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": name, "output": text}


def reasoning(name: str = "rs_1") -> dict[str, Any]:
    return {"type": "reasoning", "id": name, "summary": []}
