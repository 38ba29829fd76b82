"""Files of the client's home that lines name: backups for /rewind, plans, replaced outputs.

Whether they are there is known only where the home is; a transcript copied elsewhere tells nothing.
"""

import json
import posixpath
import re
from collections.abc import Iterator, Sequence

from suture.model.files import Files
from suture.model.rows import ArtifactRow
from suture.stores.claude_code.recognise import stem
from suture.stores.claude_code.sidecars import Sidecars
from suture.stores.claude_code.view import Transcript

_HISTORY = frozenset({"file-history-snapshot", "file-history-delta"})
_PLANS = frozenset(f"attachment/plan_mode{end}" for end in ("", "_exit", "_reentry"))
_REPLACEMENT = "content-replacement"
NAMING = _HISTORY | _PLANS | {_REPLACEMENT}  # types of lines
_Named = tuple[int, str]  # n and type
_BACKUP = re.compile(rb'"([0-9A-Za-z_-]+@v[0-9]+)"')
_SAVED = re.compile(r"Full output saved to: ([^\n]+)")


def reference_rows(
    found: Transcript, main: str, beside: Sidecars, files: Files
) -> Iterator[ArtifactRow]:
    """`main` is the path of the main file, also where `found` is a subagent of it."""
    named = found.naming
    if not named:
        return
    yield from _replaced(found, named, beside)
    home = _home(main)
    if home is not None:
        sessions = dict.fromkeys((stem(main), *filter(None, found.sessions)))
        yield from _backups(found, named, f"{home}/file-history", list(sessions), files)
        yield from _plans(found, named, home, files)


def _home(main: str) -> str | None:
    projects = posixpath.dirname(posixpath.dirname(main))
    if posixpath.basename(projects) != "projects":
        return None
    return posixpath.dirname(projects) or "."


def _backups(
    found: Transcript, named: Sequence[_Named], folder: str, sessions: Sequence[str], files: Files
) -> Iterator[ArtifactRow]:
    """Each once, where it is first named: every snapshot lists all of them again."""
    first: dict[bytes, int] = {}
    for n, kind in named:
        if kind in _HISTORY:
            for name in _BACKUP.findall(_raw(found, n)):
                first.setdefault(name, n)
    if not first or not files.exists(folder):
        return
    # A resume under a new id takes the backups along; an old line may name the old session.
    there = {
        posixpath.basename(path)
        for session in sessions
        for path in files.listing(f"{folder}/{session}")
    }
    for name, n in first.items():
        text = name.decode()
        yield ArtifactRow(found.session, n, f"file-history/{text}", present=text in there)


def _plans(
    found: Transcript, named: Sequence[_Named], home: str, files: Files
) -> Iterator[ArtifactRow]:
    """The last word on each plan counts: it is first named before it is written."""
    last: dict[str, tuple[int, bool]] = {}
    for n, kind in named:
        if kind in _PLANS:
            attachment = _object(found, n).get("attachment")
            if isinstance(attachment, dict):
                path, exists = attachment.get("planFilePath"), attachment.get("planExists")
                if isinstance(path, str) and isinstance(exists, bool) and _of_home(path, found.cwd):
                    last[_name(path)] = (n, exists)
    folder = f"{home}/plans"
    if not last or not files.exists(folder):
        return
    for name, (n, exists) in last.items():
        if exists:
            present = files.exists(f"{folder}/{name}")
            yield ArtifactRow(found.session, n, f"plans/{name}", present=present)


def _of_home(path: str, cwd: str | None) -> bool:
    """Not of a folder for plans in the project, which a setting can name."""
    folders = path.replace("\\", "/").split("/")[:-1]
    return folders[-2:] == [".claude", "plans"] and not (cwd and path.startswith(cwd))


def _replaced(
    found: Transcript, named: Sequence[_Named], beside: Sidecars
) -> Iterator[ArtifactRow]:
    """What a replacement item looks like is not written down; the text that it puts in the place
    of an output names the file as a spilled output does."""
    seen = set[str]()
    for n, kind in named:
        if kind != _REPLACEMENT:
            continue
        for text in _texts(_object(found, n).get("replacements")):
            saved = _SAVED.search(text) if text.startswith("<persisted-output>") else None
            if saved is not None and saved[1] not in seen:
                seen.add(saved[1])
                present = f"tool-results/{_name(saved[1])}" in beside.files
                yield ArtifactRow(found.session, n, saved[1], present=present)


def _raw(found: Transcript, n: int) -> bytes:
    return bytes(found.data[found.records.span(n)])


def _object(found: Transcript, n: int) -> dict[str, object]:
    """Empty for a line that had to be mended: what it says of files is not trusted."""
    try:
        value = json.loads(_raw(found, n))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _texts(value: object) -> Iterator[str]:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            waiting += reversed(one.values())
        elif isinstance(one, list):
            waiting += reversed(one)


def _name(path: str) -> str:
    return path.replace("\\", "/").rsplit("/", 1)[-1]
