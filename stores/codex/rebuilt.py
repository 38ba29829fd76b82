"""What is made again from the records of a rollout: a lost header, rows of the home."""

from typing import Any

from suture.model.edit import Edit, SpanEdit
from suture.model.errors import Unsupported
from suture.model.files import Files
from suture.model.operation import Rebuild, Renumber
from suture.stores._store import Translated
from suture.stores.codex import compose
from suture.stores.codex.bases import rest_of_twin
from suture.stores.codex.clock import micros
from suture.stores.codex.names import rollout_name
from suture.stores.codex.reordered import renumber
from suture.stores.codex.resets import reset
from suture.stores.codex.target import Target
from suture.stores.codex.upserts import upsert

_MOST = 16 << 20  # bytes that a plan should carry


def rebuild(target: Target, operation: Rebuild, files: Files) -> Translated:
    if operation.what == "projection":
        return reset(target, files)
    if operation.what == "index":
        return upsert(target, files)
    if operation.what == "plain file":
        return _plain(target, files)
    if operation.what == "end of the plain file":
        return _end(target, files)
    if operation.what != "header":
        raise Unsupported(f"a rollout holds no {operation.what}: Codex makes it itself")
    if target.rollout.header.payload.id:
        raise Unsupported("the rollout has a header")
    name = rollout_name(target.path)
    if name is None:
        raise Unsupported("the file name does not tell the id of the thread")
    target.moves(0)
    ordinal, edits = _ordinal(target, operation.session)
    first = next((r.time for r in target.records if r.time is not None), micros(name.time))
    text = compose.line(first, ordinal, "session_meta", _meta(target), {"rule": "header-rebuilt"})
    return Translated((SpanEdit(target.path, 0, 0, (text,)), *edits), "envelope")


def _plain(target: Target, files: Files) -> Translated:
    """Any edit of a compressed rollout leaves it plain: a byte in the place of itself is enough."""
    at = files.plain_from(target.path)
    if at is None:
        raise Unsupported("the file is plain, or compressed as a whole")
    line_end = b"" if not at or target.data[at - 1] == 0x0A else b"\n"
    edit = SpanEdit(target.path, at, 1, (line_end + bytes(target.data[at : at + 1]),))
    return Translated((edit,), "envelope")


def _end(target: Target, files: Files) -> Translated:
    """Whoever wrote the plain file out of the compressed one came no further."""
    rest = rest_of_twin(target.path, target.data, files)
    if rest is None or len(rest) > _MOST:
        raise Unsupported(
            "the compressed copy holds too much for a plan: take the plain file out of the folder, "
            "and Codex writes it out again"
        )
    edit = SpanEdit(target.path, len(target.data), 0, (bytes(rest),))
    return Translated((edit,), "append")


def _ordinal(target: Target, session: int) -> tuple[int | None, tuple[Edit, ...]]:
    """The one before the first; where 0 is taken every record gets the next one."""
    if not target.paginated:
        return None, ()
    first = min(target.ordinals, default=1)
    if first > 0:
        return first - 1, ()
    return 0, renumber(target, Renumber(session, 0, 1), set()).edits


def _meta(target: Target) -> dict[str, Any]:
    name = rollout_name(target.path)
    assert name is not None
    meta: dict[str, Any] = {
        "id": name.thread,
        "timestamp": name.time,
        "cwd": target.rollout.cwd or "/",
        "originator": "suture",
        "cli_version": "0.0.0",
        "source": "unknown",
    }
    if target.paginated:
        meta["history_mode"] = "paginated"
    return meta
