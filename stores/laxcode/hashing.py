"""Variant A keeps a hash of each message: SHA-256 of the JSON that Go makes of it.

The order of the fields is known of later revisions only, so the likely ones are tried: what fits
most messages of a session is the recipe, and where none fits nothing can be said.
"""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from itertools import product

from suture.model.edit import Value
from suture.stores._tables import Record

Hashes = Mapping[Value, tuple[str | None, str | None]]  # message → stored and computed
Recipe = Callable[[Record], str]

_HTML = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}
_NO_CALLS = (None, "", b"", "null", b"null", "[]", b"[]")


def recipe(artifact_at: str, always_named: bool) -> Recipe:
    """`artifact_at`: the field that the artifact stands before. `always_named`: turn and group
    are written when they are empty as well."""

    def made(row: Record) -> str:
        fields = {
            "turn_id": _text(row, "turn_id", keep=always_named),
            "tool_call_group_id": _text(row, "tool_call_group_id", keep=always_named),
            "role": _text(row, "role", keep=True),
            "content": _text(row, "content", keep=True),
            "reasoning_id": _text(row, "reasoning_id"),
            "reasoning_content": _text(row, "reasoning_content"),
            "tool_calls": _calls(row),
            "tool_call_id": _text(row, "tool_call_id"),
            "token_used": _tokens(row),
        }
        parts = [f'"seq":{_whole(row, "seq")}'] if row["seq"] else []
        for name, value in [*fields.items(), ("", None)]:
            if name == artifact_at and (artifact := _artifact(row)):
                parts.append(f'"artifact":{artifact}')
            if value is not None:
                parts.append(f'"{name}":{value}')
        return sha256(f"{{{','.join(parts)}}}".encode()).hexdigest()

    return made


_RECIPES = [recipe(*choice) for choice in product(("role", "", "turn_id"), (False, True))]


def hashes(database: sqlite3.Connection, where: str, values: Sequence[str]) -> dict[str, Hashes]:
    """By session."""
    rows = database.execute(f"select * from messages where {where}", values)
    columns = [column[0] for column in rows.description]
    sessions: dict[str, list[Record]] = defaultdict(list)
    for row in rows:
        found = dict(zip(columns, row, strict=True))
        sessions[str(found["session_id"])].append(found)
    return {name: _of_session(messages) for name, messages in sessions.items()}


def _of_session(rows: Sequence[Record]) -> Hashes:
    fitting = best_recipe(rows)
    return {
        row["message_id"]: (_stored(row), fitting(row) if fitting is not None else None)
        for row in rows
        if row["message_kind"] == "original"
    }


def best_recipe(rows: Sequence[Record]) -> Recipe | None:
    counted = [(sum(made(row) == _stored(row) for row in rows), made) for made in _RECIPES]
    most, found = max(counted, key=lambda pair: pair[0], default=(0, None))
    return found if most else None


def payload_hash(row: Record, neighbours: Sequence[Record]) -> str:
    return (best_recipe(neighbours) or _RECIPES[0])(row)


def _stored(row: Record) -> str | None:
    found = row.get("payload_hash")
    return found if isinstance(found, str) and found else None


def _text(row: Record, name: str, *, keep: bool = False) -> str | None:
    value = row.get(name)
    if not value and not keep:
        return None
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value or "")
    return json.dumps(text, ensure_ascii=False).translate(_HTML)


def _calls(row: Record) -> str | None:
    value = row.get("tool_calls_json")
    if value in _NO_CALLS:
        return None
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _tokens(row: Record) -> str:
    used, made = _whole(row, "token_input"), _whole(row, "token_output")
    return f'{{"token_input":{used},"token_output":{made}}}'


def _artifact(row: Record) -> str | None:
    if row.get("artifact_id") is None:
        return None
    size = _whole(row, "artifact_byte_size")
    return f'{{"id":{_text(row, "artifact_id", keep=True)},"byte_size":{size}}}'


def _whole(row: Record, name: str) -> int:
    value = row.get(name)
    return value if isinstance(value, int) else 0
