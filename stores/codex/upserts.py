"""The row of a thread in the index of a Codex home, as a client makes it from the rollout."""

import json
import posixpath
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from typing import Any

from suture.model.edit import RowEdit, Value
from suture.model.errors import Unsupported
from suture.model.files import Files
from suture.stores._store import Translated
from suture.stores.codex import compose
from suture.stores.codex.clock import micros
from suture.stores.codex.home import home_of
from suture.stores.codex.index import INDEX, TAIL, is_archived, mode, thread_name
from suture.stores.codex.names import rollout_name
from suture.stores.codex.records import Record
from suture.stores.codex.target import Target

_SECOND, _MILLISECOND = 1_000_000, 1000


def upsert(target: Target, files: Files) -> Translated:
    """A row that is there keeps all that no rollout tells, such as its name."""
    home, name = home_of(target.path), rollout_name(target.path)
    path = None if home is None else posixpath.join(home, INDEX)
    if home is None or path is None or name is None or not files.exists(path):
        raise Unsupported("the rollout stands in no Codex home with an index")
    try:
        with closing(files.sqlite(path)) as connection:
            connection.row_factory = sqlite3.Row
            connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
            row = connection.execute(
                "select * from threads where id = ?", (name.thread,)
            ).fetchone()
            wanted = _derived(target) | {
                "id": name.thread,
                "rollout_path": _path(connection, home, target.path, row),
                "name": thread_name(home, name.thread, files),
            }
            after = _fitting(connection, wanted) if row is None else _mended(row, wanted)
    except sqlite3.Error as error:
        raise Unsupported(f"the index cannot be read: {error}") from error
    before = None if row is None else {column: row[column] for column in ("id", *after)}
    edit = RowEdit(path, "threads", {"id": name.thread}, before, {**(before or {}), **after})
    return Translated((edit,), "envelope")


def _fitting(connection: sqlite3.Connection, wanted: Mapping[str, Value]) -> dict[str, Value]:
    """What the table has a column for. A column that must be filled and is not known stops it."""
    row: dict[str, Value] = {}
    for _, column, _, needed, default, _ in connection.execute("pragma table_info(threads)"):
        value = wanted.get(column)
        if value is not None:
            row[column] = value
        elif needed and default is None:
            raise Unsupported(f"no rollout tells what stands in the column {column}")
    return row


def _mended(row: sqlite3.Row, wanted: Mapping[str, Value]) -> dict[str, Value]:
    """The columns by which a client finds the file, and a name that was lost."""
    columns = ["rollout_path", "archived", "history_mode"]
    if "name" in row.keys() and not row["name"] and wanted["name"]:  # noqa: SIM118 (a sqlite3.Row)
        columns.append("name")
    changed = {c: wanted[c] for c in columns if c in row.keys() and row[c] != wanted[c]}  # noqa: SIM118
    if changed.get("archived") == 0 and "archived_at" in row.keys():  # noqa: SIM118
        changed["archived_at"] = None
    elif changed.get("archived") == 1 and "archived_at" in row.keys():  # noqa: SIM118
        changed["archived_at"] = wanted["archived_at"]
    if not changed:
        raise Unsupported("the row says what the rollout says")
    return changed


def _path(connection: sqlite3.Connection, home: str, rollout: str, row: sqlite3.Row | None) -> str:
    """As the rows of this home say it: a home that is looked at may be a copy."""
    own = TAIL.search(rollout.removesuffix(".zst"))
    assert own is not None  # it stands in a home
    known = [] if row is None else [str(row["rollout_path"])]
    known += [str(r[0]) for r in connection.execute("select rollout_path from threads order by id")]
    for path in known:
        found = TAIL.search(path)
        if found is not None:
            separator = "\\" if "\\" in path[found.start() :] else "/"
            tail = separator.join([own[1], *own[2].split("/")])
            return path[: found.start(1)] + tail
    return posixpath.join(posixpath.abspath(home), own[1], own[2])


def _derived(target: Target) -> dict[str, Value]:
    meta = _payload(target, _first(target, "session_meta"))
    context = _payload(target, _last(target, "turn_context"))
    created = micros(meta.get("timestamp")) or compose.last_time(target.records[:1])
    updated = compose.last_time(target.records) or created
    if created is None or updated is None:
        raise Unsupported("no record tells when the thread was made")
    said = _first_prompt(target)
    profile = context.get("permission_profile", context.get("sandbox_policy"))
    git = _object(meta.get("git"))
    spawned = _object(_object(_object(meta.get("source")).get("subagent")).get("thread_spawn"))
    archived = is_archived(target.path)
    return {
        "rollout_path": target.path,
        "created_at": created // _SECOND,
        "created_at_ms": created // _MILLISECOND,
        "updated_at": updated // _SECOND,
        "updated_at_ms": updated // _MILLISECOND,
        "recency_at": updated // _SECOND,
        "recency_at_ms": updated // _MILLISECOND,
        "source": _text(meta.get("source", "vscode")),
        "thread_source": _text(meta.get("thread_source")),
        "originator": _text(meta.get("originator")),
        "model_provider": _text(meta.get("model_provider")) or "openai",
        "cwd": _text(meta.get("cwd") or context.get("cwd")) or "",
        "title": said,
        "first_user_message": said,
        "preview": said,
        "sandbox_policy": _text(profile) or "",
        "approval_mode": _text(context.get("approval_policy")) or "",
        "tokens_used": _tokens(target),
        "has_user_event": int(any(r.type == "event_msg/user_message" for r in target.records)),
        "archived": int(archived),
        "archived_at": updated // _SECOND if archived else None,
        "git_sha": _text(git.get("commit_hash")),
        "git_branch": _text(git.get("branch")),
        "git_origin_url": _text(git.get("repository_url")),
        "cli_version": _text(meta.get("cli_version")) or "",
        "agent_nickname": _text(meta.get("agent_nickname") or spawned.get("agent_nickname")),
        "agent_role": _text(meta.get("agent_role") or spawned.get("agent_role")),
        "agent_path": _text(meta.get("agent_path") or spawned.get("agent_path")),
        "memory_mode": _text(_last_memory_mode(target)),
        "model": _text(context.get("model")),
        "reasoning_effort": _text(context.get("effort")),
        "history_mode": mode(target.rollout),
        "creator_user_id": _text(meta.get("creator_user_id")),
        "creator_account_id": _text(meta.get("creator_account_id")),
    }


def _first(target: Target, kind: str) -> Record | None:
    return next((record for record in target.records if record.type == kind), None)


def _last(target: Target, kind: str) -> Record | None:
    return next((record for record in reversed(target.records) if record.type == kind), None)


def _payload(target: Target, record: Record | None) -> dict[str, Any]:
    if record is None or record.recovered:
        return {}
    return _object(target.value(record).get("payload"))


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str | None:
    """Texts as they are, all else as JSON."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _first_prompt(target: Target) -> str:
    """What the user typed first; a rollout of today has it as an item, an older one as an event."""
    for record in target.records:
        if record.type == "event_msg/user_message":
            said = _payload(target, record).get("message")
            return said.strip() if isinstance(said, str) else ""
        if record.type == "event_msg/item_completed":
            item = _object(_payload(target, record).get("item"))
            if item.get("type") == "UserMessage":
                parts = map(_object, item.get("content") or [])
                texts = [part["text"] for part in parts if isinstance(part.get("text"), str)]
                return "".join(texts).strip()
    return ""


def _tokens(target: Target) -> int:
    for record in reversed(target.records):
        if record.type == "event_msg/token_count":
            info = _object(_payload(target, record).get("info"))
            total = _object(info.get("total_token_usage")).get("total_tokens")
            if isinstance(total, int):
                return total
    return 0


def _last_memory_mode(target: Target) -> object:
    headers = [record for record in target.records if record.type == "session_meta"]
    modes = [_payload(target, record).get("memory_mode") for record in headers]
    return next((found for found in reversed(modes) if found is not None), None)
