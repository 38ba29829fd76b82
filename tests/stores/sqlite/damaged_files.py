"""Databases in the shape of three stores, and ways to damage their pages and logs."""

import json
import os
import random
import sqlite3
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path

from suture.stores.sqlite.pages import Pages, pages_of

SIZE = 1024  # of a page: small, so that a few rows make a tree
SESSIONS, ROWS = 4, 40  # rows a session

LAXCODE = """
create table session (session_id text primary key not null, next_msg_seq integer not null,
  context_compassion_version integer not null, created_at text not null, updated_at text not null);
create table raw_message (session_id text not null, seq integer not null,
  role text not null check (role in ('system', 'user', 'assistant', 'tool')),
  content text not null, reasoning text, tool_calls text, tool_call_id text,
  created_at text not null, primary key (session_id, seq));
create table context_window_message (id integer primary key autoincrement,
  session_id text not null, seq integer not null, original_seqs text not null,
  compassion_version integer not null, role text not null, content text not null,
  tool_calls text, tool_call_id text, created_at text not null,
  unique (session_id, compassion_version, seq));
create index idx_window on context_window_message (session_id, compassion_version, seq);
"""
ADK = """
create table sessions (app_name text not null, user_id text not null, id text not null,
  state text not null, create_time datetime not null, update_time datetime not null,
  primary key (app_name, user_id, id));
create table app_states (app_name text primary key not null, state text not null,
  update_time datetime not null);
create table user_states (app_name text not null, user_id text not null, state text not null,
  update_time datetime not null, primary key (app_name, user_id));
create table events (id text not null, app_name text not null, user_id text not null,
  session_id text not null, invocation_id text not null, timestamp datetime not null,
  event_data text not null, primary key (id, app_name, user_id, session_id));
create table adk_internal_metadata (key text primary key not null, value text not null);
insert into adk_internal_metadata values ('schema_version', '1');
"""
OPENCODE = """
create table project (id text primary key, worktree text not null, time_created integer not null,
  time_updated integer not null, sandboxes text not null);
insert into project values ('global', '/', 1, 1, '[]');
create table session (id text primary key, project_id text not null, parent_id text,
  slug text not null, directory text not null, title text not null, version text not null,
  time_created integer not null, time_updated integer not null, time_compacting integer);
create table message (id text primary key, session_id text not null,
  time_created integer not null, time_updated integer not null, data text not null,
  foreign key (session_id) references session(id) on delete cascade);
create table part (id text primary key, message_id text not null, session_id text not null,
  time_created integer not null, time_updated integer not null, data text not null,
  foreign key (message_id) references message(id) on delete cascade);
create index part_message_id_id_idx on part (message_id, id);
create index message_session_idx on message (session_id, time_created, id);
"""
AT = "2026-03-02 09:14:00.000000"


def laxcode(path: Path) -> Path:
    with closing(_new(path, LAXCODE)) as db, db:
        for s in range(SESSIONS):
            db.execute("insert into session values (?, ?, 0, ?, ?)", (f"s{s}", ROWS + 1, AT, AT))
            for n in range(1, ROWS + 1):
                row = (f"s{s}", n, _role(n), _text(n))
                db.execute("insert into raw_message values (?,?,?,?,null,null,null,?)", (*row, AT))
                db.execute(
                    "insert into context_window_message values (null,?,?,?,0,?,?,null,null,?)",
                    (f"s{s}", n, f"[{n}]", _role(n), _text(n), AT),
                )
    return path


def adk(path: Path) -> Path:
    with closing(_new(path, ADK)) as db, db:
        db.execute("insert into app_states values ('shop', '{}', ?)", (AT,))
        db.execute("insert into user_states values ('shop', 'ann', '{}', ?)", (AT,))
        for s in range(SESSIONS):
            last = f"2026-03-02 09:14:00.{ROWS - 1:06}"
            db.execute("insert into sessions values ('shop','ann',?,'{}',?,?)", (f"s{s}", AT, last))
            for n in range(ROWS):
                name, author = f"e{s}-{n:03}", "user" if n % 2 == 0 else "agent"
                role = "user" if author == "user" else "model"
                content = {"role": role, "parts": [{"text": _text(n)}]}
                data = {"id": name, "author": author, "invocation_id": "i", "content": content}
                row = (name, f"s{s}", f"2026-03-02 09:14:00.{n:06}", json.dumps(data))
                db.execute("insert into events values (?,'shop','ann',?,'i',?,?)", row)
    return path


def opencode(path: Path) -> Path:
    with closing(_new(path, OPENCODE)) as db, db:
        for s in range(SESSIONS):
            name, at = f"ses_{s:026}", 1_772_442_000_000
            head = (name, "global", None, "slug", "/work", "title", "1.18.33", at, at, None)
            db.execute(f"insert into session values ({', '.join('?' * 10)})", head)
            for n in range(ROWS):
                mine, body = f"msg_{s:03}{n:023}", _message(s, n, at + n)
                row = (mine, name, at + n, at + n, json.dumps(body))
                db.execute("insert into message values (?,?,?,?,?)", row)
                part = json.dumps({"type": "text", "text": _text(n)})
                held = (f"prt_{s:03}{n:023}", mine, name, at + n, at + n, part)
                db.execute("insert into part values (?,?,?,?,?,?)", held)
    return path


def _message(s: int, n: int, at: int) -> object:
    if n % 2 == 0:
        return {"role": "user", "time": {"created": at}, "agent": "build"}
    parent = f"msg_{s:03}{n - 1:023}"
    time = {"created": at, "completed": at}
    names = {"modelID": "m", "providerID": "p", "finish": "stop"}
    return {"role": "assistant", "parentID": parent, "time": time, **names}


def _new(path: Path, schema: str) -> sqlite3.Connection:
    database = sqlite3.connect(path)
    database.execute(f"pragma page_size = {SIZE}")
    database.executescript(schema)
    return database


def _role(n: int) -> str:
    return "user" if n % 2 else "assistant"


def _text(n: int) -> str:
    return f"words {n} " * (5 + n % 7)


def pages(path: Path) -> Pages:
    found = pages_of(memoryview(path.read_bytes()))
    assert found is not None
    return found


def root(path: Path, name: str) -> int:
    with closing(sqlite3.connect(path)) as database:
        sql = "select rootpage from sqlite_master where name = ?"
        return int(database.execute(sql, (name,)).fetchone()[0])


def leaves(path: Path, name: str) -> list[int]:
    found = pages(path)
    tree = found.reach(root(path, name))
    return sorted(page for page in tree if not found.is_interior(page))


def overwrite(path: Path, numbers: Iterable[int]) -> None:
    noise = random.Random(4)
    with path.open("r+b") as file:
        for number in numbers:
            file.seek((number - 1) * SIZE)
            file.write(noise.randbytes(SIZE))


def write_over(path: Path, offset: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(data)


def contents(folder: Path) -> dict[str, tuple[str, int]]:
    return {
        p.name: (sha256(p.read_bytes()).hexdigest(), p.stat().st_mtime_ns)
        for p in sorted(folder.iterdir())
    }


CRASH = """
import os, sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute('pragma journal_mode = ' + sys.argv[2])
db.execute('pragma cache_size = 5')
for group in sys.argv[3].split(';;'):
    db.execute('begin')
    for statement in group.split(';'):
        db.execute(statement)
    if not group.endswith('--open'):
        db.execute('commit')
os.kill(os.getpid(), 9)
"""


def crash(path: Path, mode: str, *transactions: str) -> None:
    """Write and die; a transaction that ends with `--open` is not committed."""
    command = [sys.executable, "-c", CRASH, str(path), mode, ";;".join(transactions)]
    subprocess.run(command, check=False)


def frames(path: Path) -> Iterator[tuple[int, int, int]]:
    """Offset, page and commit size of each frame of a `-wal`."""
    data = Path(f"{path}-wal").read_bytes()
    for at in range(32, len(data), SIZE + 24):
        yield (
            at,
            int.from_bytes(data[at : at + 4], "big"),
            int.from_bytes(data[at + 4 : at + 8], "big"),
        )


def cut(path: Path, size: int) -> None:
    os.truncate(path, size)
