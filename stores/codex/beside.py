"""The rollouts of a Codex home, found from one of them, and places in them by ordinal."""

import os
import re
from collections.abc import Iterator
from pathlib import PurePath

from suture.model.files import Files
from suture.model.packed import zstd
from suture.stores._walk import nearest

ORDINAL = re.compile(rb'"ordinal"\s*:\s*(\d{1,18})')


def data_of(path: str, files: Files) -> memoryview | None:
    """None of a file that cannot be read: reading it as a session says why."""
    try:
        return files.data(path)
    except (OSError, EOFError, zstd.ZstdError):
        return None


def home_rollouts(path: str, files: Files) -> Iterator[str]:
    """Rollouts below the `sessions` folder that `path` stands in, and archived ones beside it."""
    folder = PurePath(path).parent
    tree = nearest(str(folder), "sessions")
    if tree is None and folder.name != "archived_sessions":  # typed from a folder within the home
        whole = os.path.abspath(folder)  # noqa: PTH100 (links stay as they are)
        tree = nearest(whole, "sessions")
    if tree is None:
        yield from _below(str(folder), files, 0)
        if folder.name == "archived_sessions":
            yield from _below(str(folder.parent / "sessions"), files, 3)
        return
    yield from _below(tree, files, 3)
    yield from _below(str(PurePath(tree).parent / "archived_sessions"), files, 0)


def _below(folder: str, files: Files, depth: int) -> Iterator[str]:
    for path in files.listing(folder):
        name = PurePath(path).name
        if name.startswith("rollout-") and name.endswith((".jsonl", ".jsonl.zst")):
            yield path
        elif depth and name.isdigit():
            yield from _below(path, files, depth - 1)


def end_of(data: memoryview, ordinal: int) -> int | None:
    """Where the line of this ordinal ends; None unless exactly one line has it."""
    found, pos = [], 0
    for line in bytes(data).split(b"\n"):
        pos += len(line) + 1
        stated = ORDINAL.search(line, 0, 200)
        if stated and int(stated[1]) == ordinal:
            found.append(pos)
    return found[0] if len(found) == 1 and found[0] <= len(data) else None
