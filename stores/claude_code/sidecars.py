"""What lies in the folder of a session: subagents, their meta files, spilled outputs."""

import json
import posixpath
from collections.abc import Sequence

from msgspec import Struct

from suture.model.files import Files

_RESULTS = "tool-results/"


class Sidecars(Struct, frozen=True):
    folder: str  # of the session, with a slash
    transcripts: tuple[str, ...]  # of subagents
    metas: dict[str, str]  # tool use id → path of the transcript that the call started
    stated: dict[str, str | None]  # path of a transcript with a meta file → the call it names
    files: frozenset[str]  # paths below the session's folder


def folder_of(main: str) -> str:
    return main.removesuffix(".jsonl")


def meta_of(transcript: str) -> str:
    return transcript.removesuffix(".jsonl") + ".meta.json"


def agent_of(path: str) -> str | None:
    """The agent id that the name of a subagent file states."""
    name = posixpath.basename(path)
    if name.startswith("agent-") and name.endswith(".jsonl"):
        return name[len("agent-") : -len(".jsonl")]
    return None


def sidecars(paths: Sequence[str], files: Files) -> Sidecars:
    folder = folder_of(paths[0]) + "/"
    transcripts = tuple(path for path in paths[1:] if path.endswith(".jsonl"))
    stated = {
        path: _call_of(meta_of(path), files)
        for path in transcripts
        if meta_of(path) in paths or files.exists(meta_of(path))
    }
    metas = {call: path for path, call in stated.items() if call is not None}
    below = frozenset(path.removeprefix(folder) for path in paths[1:])
    return Sidecars(folder, transcripts, metas, stated, below)


def _call_of(path: str, files: Files) -> str | None:
    try:
        meta = json.loads(bytes(files.data(path)))
    except (OSError, ValueError, RecursionError):
        return None
    call = meta.get("toolUseId") if isinstance(meta, dict) else None
    return call if isinstance(call, str) else None


def listing(main: str, files: Files) -> list[str]:
    """Paths of everything that belongs to a main file, deepest folders included."""
    folder = folder_of(main)
    found = list(files.listing(f"{folder}/tool-results"))
    waiting = [f"{folder}/subagents"]
    while waiting:
        for path in files.listing(waiting.pop()):
            if agent_of(path) is not None or path.endswith(".meta.json"):
                found.append(path)
            elif "." not in posixpath.basename(path):
                waiting.append(path)
    return sorted(found)


def spilled(beside: Sidecars) -> dict[str, str]:
    """Call id → the file that holds its output in full."""
    return {
        path.removeprefix(_RESULTS).rsplit(".", 1)[0]: path
        for path in sorted(beside.files)
        if path.startswith(_RESULTS)
    }
