"""What the name of a rollout file says."""

import posixpath
import re
from functools import lru_cache
from pathlib import PurePath

from msgspec import Struct

from suture.stores._walk import nearest

_ROOTS = ("sessions", "archived_sessions")
_UUID = "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_NAME = re.compile(
    rf"rollout-(\d{{4}}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-({_UUID})(?:_({_UUID}))?\.jsonl(?:\.zst)?"
)


class RolloutName(Struct, frozen=True):
    thread: str
    segment: str | None  # a continuation of the thread
    time: str  # local time at creation; Codex reads it as UTC

    @property
    def rollout(self) -> str:
        """The id by which a history_base names this file."""
        return self.segment or self.thread


@lru_cache(maxsize=1024)  # each part of a check asks anew
def rollout_name(path: str) -> RolloutName | None:
    """None for a name that Codex does not give. A prefix such as `damaged-` is passed over."""
    found = _NAME.search(posixpath.basename(path))
    if found is None:
        return None
    date, hour, minute, second, thread, segment = found.groups()
    return RolloutName(
        thread,
        None if segment == thread else segment,
        f"{date}T{hour}:{minute}:{second}.000Z",
    )


def above_sessions(folder: str) -> str | None:
    """The home that a folder with rollouts is in."""
    sessions = nearest(folder, *_ROOTS)
    return None if sessions is None else str(PurePath(sessions).parent)
