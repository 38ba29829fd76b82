"""Which files are transcripts of Claude Code, and which belong together."""

import posixpath
import re
from collections.abc import Sequence

from suture.model.files import Files
from suture.model.unit import Unit
from suture.stores._store import Head
from suture.stores.claude_code.kinds import INDEX, LINKS
from suture.stores.claude_code.sidecars import agent_of, listing

UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")

# A quote inside a JSON string is escaped, so none of these is found in quoted text.
_LINK = re.compile(rb'"(?:parentUuid|isSidechain|leafUuid|isSnapshotUpdate)"\s*:')
_OPENING = re.compile(rb'\{"type":"(?:user|assistant)","message":\{"')  # the rest may be far away
_SESSION = re.compile(rb'"sessionId"\s*:\s*"')
_INDEX = re.compile(rb'"type"\s*:\s*"(?:%s)"' % b"|".join(t.encode() for t in sorted(INDEX)))
_LINKS = re.compile(rb'"type"\s*:\s*"(?:%s)"' % b"|".join(t.encode() for t in sorted(LINKS)))
_GEMINI = re.compile(rb'"projectHash"\s*:')  # its header, which has a sessionId too
_OWNER = re.compile(rb'"sessionId"\s*:\s*"([^"\\]+)"')
_JSON = re.compile(rb'\s*[\[{]\s*["\]}{\[]')


def claims(head: Head) -> bool:
    if not head.path.endswith(".jsonl") or head.tables is not None:
        return False
    data = head.data
    if _LINK.search(data) is not None or _OPENING.match(data) is not None:
        return True
    if _SESSION.search(data) is not None and _GEMINI.search(data) is None:
        return (_INDEX.search(data) or _LINKS.search(data)) is not None
    garbled = _JSON.match(data.lstrip(b"\0\xef\xbb\xbf")) is None
    return (garbled or head.is_stub) and _named_like_one(head.path)


def _named_like_one(path: str) -> bool:
    """An empty or garbled file can be known by its place only."""
    folders = path.split("/")[:-1]
    if agent_of(path) is not None:
        return "subagents" in folders
    return "projects" in folders and has_session_name(path)


def has_session_name(path: str) -> bool:
    return UUID.fullmatch(stem(path)) is not None


def stem(path: str) -> str:
    return posixpath.basename(path).removesuffix(".jsonl")


def units(files: Files, paths: Sequence[str]) -> list[Unit]:
    """A main file with all that lies in its folder; a subagent file whose main file is not among
    the paths stands for itself."""
    claimed = set(paths)
    owned: dict[str, list[str]] = {}
    alone: list[str] = []
    for path in paths:
        main = _main_of(path, files)
        if main is None:
            owned.setdefault(path, [])
        elif main in claimed:
            owned.setdefault(main, []).append(path)
        else:
            alone.append(path)
    neighbours = _Neighbours(files)
    return [
        Unit(0, "claude-code", (main, *sorted({*beside, *neighbours.of(main)})))
        for main, beside in owned.items()
    ] + [Unit(0, "claude-code", (path,)) for path in alone]


class _Neighbours:
    """What lies beside a main file; each project folder is listed once."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._listed: dict[str, frozenset[str]] = {}

    def of(self, main: str) -> list[str]:
        parent = posixpath.dirname(main) or "."
        if parent not in self._listed:
            names = (posixpath.basename(path) for path in self._files.listing(parent))
            self._listed[parent] = frozenset(names)
        return listing(main, self._files) if stem(main) in self._listed[parent] else []


def _main_of(path: str, files: Files) -> str | None:
    """The main file of a subagent file; None for a main file."""
    if agent_of(path) is None:
        return None
    folder = posixpath.dirname(path)
    parts = folder.split("/")
    if "subagents" in parts:
        above = "/".join(parts[: len(parts) - parts[::-1].index("subagents") - 1])
        return f"{above}.jsonl"
    # Before 2.1 they lay flat beside the session that their lines name.
    try:
        owner = _OWNER.search(files.start(path, 1 << 16))
    except (OSError, EOFError):
        return path
    name = "" if owner is None else owner[1].decode("utf-8", "replace")
    beside = posixpath.join(folder, f"{name}.jsonl")
    return beside if beside != path else None
