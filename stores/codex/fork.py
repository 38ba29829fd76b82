"""A rollout once more under a fresh thread id."""

import posixpath
from collections.abc import Collection
from hashlib import sha256

from suture.model.errors import Unsupported
from suture.model.files import Files
from suture.model.unit import Unit
from suture.stores._fork import fresh_id, places
from suture.stores._json_span import Path, span
from suture.stores._store import Forked, Twin
from suture.stores.codex.lineage import read_link
from suture.stores.codex.names import rollout_name

_HEADER: tuple[Path, ...] = (("payload", "id"), ("payload", "session_id"))
_EVENT: tuple[Path, ...] = (
    ("payload", "thread_id"),
    ("payload", "session_id"),
    ("payload", "item", "thread_id"),
    ("payload", "sender_thread_id"),
)
_COMPACTED: tuple[Path, ...] = (
    ("payload", "latest_token_usage_record", "session_id"),
    ("payload", "latest_token_usage_record", "thread_id"),
    ("payload", "resume_metadata", "dynamic_tools", "thread_id"),
)


def fork(unit: Unit, files: Files, changed: Collection[str]) -> Forked:
    """A copy as Codex makes one of a legacy thread, without the words about where it came from.
    One that goes on from another rollout still does: the base stays as it is."""
    path = _only(unit, changed)
    link, name = read_link(path, files), rollout_name(path)
    if name is None or link.thread != name.thread:
        raise Unsupported("the name of the file is not that of the thread in it")
    if name.segment is not None or _goes_on(name.thread, path, unit):
        raise Unsupported("segments of one thread hold offsets of each other")
    data = bytes(files.data(path))
    new = fresh_id(name.thread, sha256(data).hexdigest())
    base = posixpath.basename(path).removesuffix(".zst").replace(name.thread, new)
    target = posixpath.join(posixpath.dirname(path), base)
    tail = b"" if not data or data.endswith(b"\n") else b"\n"
    return Forked(name.thread, new, (Twin(target, path, places(data, name.thread, _paths), tail),))


def _only(unit: Unit, changed: Collection[str]) -> str:
    """The rollout of a lineage that is repaired; the others need no copy."""
    if len(unit.paths) == 1:
        return unit.paths[0]
    mine = [path for path in unit.paths if path in changed]
    if len(mine) != 1:
        raise Unsupported(
            f"the repair changes {len(mine)} rollouts that go on from each other:"
            " --session names the one that becomes a new session"
        )
    return mine[0]


def _goes_on(thread: str, path: str, unit: Unit) -> bool:
    names = (rollout_name(other) for other in unit.paths if other != path)
    return any(name is not None and name.thread == thread for name in names)


def _paths(line: bytes) -> tuple[Path, ...]:
    place = span(line, ("type",))
    kind = line[slice(*place)] if place else b""
    if kind == b'"session_meta"':
        return _HEADER
    if kind == b'"compacted"':
        return _COMPACTED
    # What the model said and got is not ours to rewrite.
    return () if kind == b'"response_item"' else _EVENT
