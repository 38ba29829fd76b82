"""What is made again from the records of a rollout: a lost header, rows of the home."""

from suture.model.edit import SpanEdit
from suture.model.errors import Unsupported
from suture.model.files import Files
from suture.model.operation import Rebuild
from suture.stores._store import Translated
from suture.stores.codex.bases import rest_of_twin
from suture.stores.codex.header_edits import made_again, made_first
from suture.stores.codex.resets import reset
from suture.stores.codex.target import Target
from suture.stores.codex.upserts import upsert

_MOST = 16 << 20  # bytes that a plan should carry


def rebuild(target: Target, operation: Rebuild, files: Files) -> Translated:
    match operation.what:
        case "projection":
            return reset(target, files)
        case "index":
            return upsert(target, files)
        case "plain file":
            return _plain(target, files)
        case "end of the plain file":
            return _end(target, files)
        case "header":
            return made_again(target, operation, files)
        case "first line":
            return made_first(target)
    raise Unsupported(f"a rollout holds no {operation.what}: Codex makes it itself")


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
