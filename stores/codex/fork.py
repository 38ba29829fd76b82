"""A rollout once more under a fresh thread id."""

import posixpath
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


def fork(unit: Unit, files: Files) -> Forked:
    """A copy as Codex makes one of a legacy thread, without the words about where it came from:
    the new thread leans on no other file."""
    path = unit.paths[0]
    link, name = read_link(path, files), rollout_name(path)
    if len(unit.paths) > 1 or link.base is not None:
        raise Unsupported("segments of one thread hold offsets of each other")
    if name is None or name.segment is not None or link.thread != name.thread:
        raise Unsupported("the name of the file is not that of the thread in it")
    data = bytes(files.data(path))
    new = fresh_id(name.thread, sha256(data).hexdigest())
    base = posixpath.basename(path).removesuffix(".zst").replace(name.thread, new)
    target = posixpath.join(posixpath.dirname(path), base)
    tail = b"" if not data or data.endswith(b"\n") else b"\n"
    return Forked(name.thread, new, (Twin(target, path, places(data, name.thread, _paths), tail),))


def _paths(line: bytes) -> tuple[Path, ...]:
    place = span(line, ("type",))
    kind = line[slice(*place)] if place else b""
    if kind == b'"session_meta"':
        return _HEADER
    if kind == b'"compacted"':
        return _COMPACTED
    # What the model said and got is not ours to rewrite.
    return () if kind == b'"response_item"' else _EVENT
