"""A session once more under a fresh id, with what lies in its folder."""

import json
from collections.abc import Collection
from hashlib import sha256

from suture.model.errors import Unsupported
from suture.model.files import Files
from suture.model.unit import Unit
from suture.stores._fork import fresh_id, places
from suture.stores._json_span import Path, span
from suture.stores._store import Forked, Twin
from suture.stores.claude_code.read import is_main
from suture.stores.claude_code.recognise import has_session_name, stem
from suture.stores.claude_code.sidecars import folder_of

_PATHS: tuple[Path, ...] = (("sessionId",), ("session_id",))
_TITLE = b'"custom-title"'


def fork(unit: Unit, files: Files, changed: Collection[str]) -> Forked:
    """The client itself forks so: the same lines, their uuids too, under another session id."""
    main = unit.paths[0]
    if not is_main(unit, main):
        raise Unsupported("the transcript of a subagent belongs to its session")
    if not has_session_name(main):
        raise Unsupported("the name of the file is not the id of a session")
    data = bytes(files.data(main))
    old = stem(main)
    new = fresh_id(old, sha256(data).hexdigest())
    folder, fresh = folder_of(main), folder_of(main)[: -len(old)] + new
    twins = [Twin(f"{fresh}.jsonl", main, places(data, old, _paths), _title(data, old, new))]
    for path in unit.paths[1:]:
        if path.startswith(f"{folder}/"):
            lines = bytes(files.data(path)) if path.endswith(".jsonl") else b""
            target = fresh + path.removeprefix(folder)
            twins.append(Twin(target, path, places(lines, old, _paths)))
    return Forked(old, new, tuple(twins), (folder, fresh))


def _paths(line: bytes) -> tuple[Path, ...]:
    return _PATHS


def _title(data: bytes, old: str, new: str) -> bytes:
    """A line that tells the two apart in the list of sessions."""
    at = data.rfind(_TITLE)
    line = data[data.rfind(b"\n", 0, at) + 1 :].split(b"\n", 1)[0] if at >= 0 else b""
    title = f"{_stated(line) or f'session {old[:8]}'} (repaired)"
    made = {"type": "custom-title", "customTitle": title, "sessionId": new}
    text = json.dumps(made, separators=(",", ":"), ensure_ascii=True).encode()
    return (b"" if not data or data.endswith(b"\n") else b"\n") + text + b"\n"


def _stated(line: bytes) -> str | None:
    place = span(line, ("customTitle",)) if span(line, ("type",)) else None
    if place is None or not line[slice(*place)].startswith(b'"'):
        return None
    try:
        return str(json.loads(line[slice(*place)]))
    except ValueError:
        return None
