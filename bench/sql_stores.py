"""Makes up a healthy SQL store of a given number of rows.

    python bench/sql_stores.py opencode OUT.db --rows 1000000

The same arguments give the same rows. Sessions are of uneven length, `--length` on average.
"""

import argparse
import json
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from hashlib import sha256
from itertools import count, cycle, islice
from pathlib import Path

import sql_opencode as opencode

Values = tuple[object, ...]
Rows = Iterator[tuple[str, Values]]  # table, values
Make = Callable[[int, int], Rows]  # number of the session, rows of the session

LENGTH = 400  # rows of a session
_DAY = 86_400_000
_START = 1_772_442_841_000  # ms
_MENU = "Tea 4.20, coffee 5.10, soup of the day 9.80 with bread; the harbour café closes at nine. "


def _said(session: int, n: int) -> str:
    return f"Order {session}-{n}: " + _MENU * (1 + n % 4)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _stamp(ms: int) -> str:
    seconds, rest = divmod(ms, 1000)
    hours, seconds = divmod(seconds % 86_400, 3600)
    day = 1 + ms // _DAY % 28
    return f"2026-03-{day:02} {hours:02}:{seconds // 60:02}:{seconds % 60:02}.{rest:03}000"


def seqstore(session: int, rows: int) -> Rows:
    """As sample_data/seqstore/seqstore.toml maps it, with a chain of hashes."""
    name = f"s-{session:06}"
    prev, time = "", _START + session * 1000
    for seq in range(1, rows + 1):
        step = (seq - 1) % 4
        value: dict[str, object] = {"text": _said(session, seq)}
        if step == 0:
            role, kind = "user", "text"
        elif step == 1:
            arguments = {"crate": seq, "unit": "kg"}
            role, kind = "assistant", "call"
            value = {"call_id": f"c{seq}", "name": "scale", "arguments": arguments}
        elif step == 2:
            role, kind = "tool", "result"
            value = {"call_id": f"c{seq - 1}", "output": "9 kg"}
        else:
            role, kind = "assistant", "text"
        content = _json(value)
        own = sha256(content.encode()).hexdigest()
        chain = sha256(f"{prev}|{own}|{seq}".encode()).hexdigest()
        yield (
            "messages",
            (name, seq, role, kind, content, 1, 0, own, prev, chain, _stamp(time + seq * 250)),
        )
        prev = chain
    head = (name, "idle", _stamp(time), None, rows + 1, prev, 0)
    yield "sessions", head


def openai_agents(session: int, rows: int) -> Rows:
    name, time = f"table-{session:06}", _START + session * 1000
    yield "agent_sessions", (name, _stamp(time)[:19], _stamp(time + rows * 1000)[:19])
    for n in range(max(5, rows // 5 * 5)):
        step = n % 5
        value: dict[str, object] = {"role": "user", "content": _said(session, n)}
        if step == 1:
            value = {"type": "reasoning", "id": f"rs_{session}_{n}", "summary": []}
            value["encrypted_content"] = "gAAA" * 20
        elif step == 2:
            value = {"type": "function_call", "call_id": f"call_{session}_{n}"}
            value |= {"name": "read_menu", "arguments": "{}"}
        elif step == 3:
            value = {"type": "function_call_output", "call_id": f"call_{session}_{n - 1}"}
            value["output"] = _said(session, n)
        elif step == 4:
            text = {"type": "output_text", "text": _said(session, n)}
            value = {"type": "message", "role": "assistant", "content": [text]}
        yield (
            "agent_messages",
            (None, name, json.dumps(value), _stamp(time + n * 1000)[:19]),
        )


def google_adk(session: int, rows: int) -> Rows:
    app, user, name = "harbour_cafe", f"guest-{session % 100}", f"table-{session:06}"
    time = _START + session * 1000
    for n in range(rows):
        step, call = n % 4, f"adk-{session}-{n - n % 4}"
        part: dict[str, object] = {"text": _said(session, n)}
        if step == 1:
            part = {"function_call": {"id": call, "name": "read_menu", "args": {"table": n}}}
        elif step == 2:
            answer = {"id": call, "name": "read_menu", "response": {"result": _said(session, n)}}
            part = {"function_response": answer}
        turn, at = f"e-{session}-{n // 4}", time + n * 1000
        value = {
            "content": {"parts": [part], "role": "user" if step in (0, 2) else "model"},
            "invocation_id": turn,
            "author": "waiter" if step else "user",
            "actions": {"state_delta": {}},
            "id": f"ev-{session}-{n}",
            "timestamp": at / 1000,
        }
        yield (
            "events",
            (value["id"], app, user, name, turn, _stamp(at), json.dumps(value)),
        )
    yield "sessions", (app, user, name, "{}", _stamp(time), _stamp(time + (rows - 1) * 1000))


def laxcode(session: int, rows: int) -> Rows:
    """The design of the article: each message stands in the history and in the window."""
    name, time = f"desk-{session:06}", _START + session * 1000
    messages = max(4, rows // 8 * 4)
    head = (name, messages + 1, 0, _stamp(time), _stamp(time + messages * 250))
    yield "session", head
    for seq in range(1, messages + 1):
        step, calls, answered = (seq - 1) % 4, None, None
        role, content = ("user", "assistant", "tool", "assistant")[step], _said(session, seq)
        if step == 1:
            call = {"id": f"call_{session}_{seq}", "name": "read_menu", "arguments": {"n": seq}}
            calls = json.dumps([call])
        elif step == 2:
            answered = f"call_{session}_{seq - 1}"
        at = _stamp(time + seq * 250)
        own = (role, content)
        yield "raw_message", (name, seq, *own, None, calls, answered, at)
        yield (
            "context_window_message",
            (None, name, seq, f"[{seq}]", 0, *own, calls, answered, at),
        )


_DDL = {
    "seqstore": """
        create table sessions (
          id text primary key, status text not null, created_at text not null, closed_at text,
          next_msg_seq integer not null, head_hash text,
          compaction_version integer not null default 0);
        create table messages (
          session_id text not null, seq integer not null, role text not null, kind text not null,
          content text not null, active integer not null default 1,
          compaction_version integer not null default 0, content_hash text, prev_hash text,
          hash text, created_at text not null, primary key (session_id, seq));
        create table compactions (
          session_id text not null, version integer not null, summary_seq integer not null,
          original_seqs text not null, primary key (session_id, version));
        """,
    "openai-agents": """
        create table agent_sessions (
          session_id text primary key, created_at timestamp, updated_at timestamp);
        create table agent_messages (
          id integer primary key autoincrement, session_id text not null,
          message_data text not null, created_at timestamp,
          foreign key (session_id) references agent_sessions (session_id) on delete cascade);
        create index idx_agent_messages_session_id on agent_messages (session_id, id);
        """,
    "google-adk": """
        create table adk_internal_metadata (key varchar primary key, value varchar not null);
        insert into adk_internal_metadata values ('schema_version', '1');
        create table sessions (
          app_name varchar not null, user_id varchar not null, id varchar not null,
          state text not null, create_time datetime not null, update_time datetime not null,
          primary key (app_name, user_id, id));
        create table app_states (
          app_name varchar primary key, state text not null, update_time datetime not null);
        create table user_states (
          app_name varchar not null, user_id varchar not null, state text not null,
          update_time datetime not null, primary key (app_name, user_id));
        create table events (
          id varchar not null, app_name varchar not null, user_id varchar not null,
          session_id varchar not null, invocation_id varchar not null,
          timestamp datetime not null, event_data text,
          primary key (id, app_name, user_id, session_id),
          foreign key (app_name, user_id, session_id)
            references sessions (app_name, user_id, id) on delete cascade);
        create index idx_events_app_user_session_ts
          on events (app_name, user_id, session_id, timestamp);
        """,
    "laxcode": """
        create table session (
          session_id text primary key, next_msg_seq integer not null,
          context_compassion_version integer not null, created_at text not null,
          updated_at text not null);
        create table raw_message (
          session_id text not null references session, seq integer not null, role text not null,
          content text not null, reasoning text, tool_calls text, tool_call_id text,
          created_at text not null, primary key (session_id, seq));
        create table context_window_message (
          id integer primary key, session_id text not null references session,
          seq integer not null, original_seqs text not null, compassion_version integer not null,
          role text not null, content text not null, tool_calls text, tool_call_id text,
          created_at text not null, unique (session_id, compassion_version, seq));
        """,
    "opencode": opencode.DDL,
}
_AFTER = {
    "google-adk": """
        insert into app_states select distinct app_name, '{}', min(create_time) from sessions;
        insert into user_states
          select app_name, user_id, '{}', min(create_time) from sessions group by 1, 2;
        """
}
STORES: dict[str, Make] = {
    "seqstore": seqstore,
    "openai-agents": openai_agents,
    "google-adk": google_adk,
    "laxcode": laxcode,
    "opencode": opencode.session,
}


def sessions(store: str, rows: int, length: int) -> Rows:
    """About so many rows, in sessions of so many on average."""
    lengths = cycle((length // 4, length // 2, length, length + length // 2, length * 7 // 4))
    left = rows
    for number, size in zip(count(), lengths, strict=False):
        if left <= 0:
            return
        made = list(STORES[store](number, max(4, min(size, left)) // 4 * 4 or 4))
        yield from made
        left -= len(made)


def make(store: str, target: Path, rows: int, length: int) -> None:
    unfinished = target.with_name(target.name + ".unfinished")
    unfinished.unlink(missing_ok=True)
    with closing(sqlite3.connect(unfinished, isolation_level=None)) as database:
        database.executescript("pragma journal_mode = off; pragma synchronous = off;")
        database.executescript(_DDL[store])
        database.execute("begin")
        found = sessions(store, rows, length)
        while batch := list(islice(found, 50_000)):
            for table in dict.fromkeys(table for table, _ in batch):
                values = [row for name, row in batch if name == table]
                marks = ", ".join("?" * len(values[0]))
                database.executemany(f"insert into {table} values ({marks})", values)
        database.execute("commit")
        database.executescript(_AFTER.get(store, ""))
    unfinished.rename(target)


def _main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("store", choices=STORES)
    parser.add_argument("out", type=Path)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--length", type=int, default=LENGTH)
    given = parser.parse_args()
    make(given.store, given.out, given.rows, given.length)
    return 0


if __name__ == "__main__":
    sys.exit(_main())
