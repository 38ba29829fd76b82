"""Gemini CLI: chats, one JSON object a line, read with their rules of replay."""

from collections.abc import Sequence

from suture.model.files import Files, Writer
from suture.model.unit import Unit
from suture.stores._open_files import open_writers
from suture.stores._store import Head
from suture.stores.gemini.lines import Line, decode
from suture.stores.gemini.replay import KINDS
from suture.stores.gemini.tables import NAME

_LOOK_AT = 50  # lines


def claims(head: Head) -> bool:
    """A header, or a message where the header is lost. Only what this client writes has both
    `content` and an id of the message beside its type."""
    if head.tables is not None or not head.path.endswith(".jsonl"):
        return False
    lines = [_line(raw) for raw in head.data.split(b"\n")[:_LOOK_AT]]
    found = [line for line in lines if line is not None]
    if any(line.is_header and line.session_id and line.project for line in found):
        return True
    return any(_is_reply(line) for line in found) and all(
        _is_message(line) or line.patch or line.rewind or line.is_header for line in found
    )


def _line(raw: bytes) -> Line | None:
    try:
        return decode(raw)
    except (ValueError, RecursionError):
        return None


def _is_message(line: Line) -> bool:
    return line.id is not None and line.type in KINDS and len(line.content) > 0


def _is_reply(line: Line) -> bool:
    return line.type == "gemini" and _is_message(line)


def units(files: Files, paths: Sequence[str]) -> list[Unit]:
    return [Unit(0, NAME, (path,)) for path in paths]


def writers(unit: Unit) -> list[Writer]:
    return open_writers(unit.paths[0])
