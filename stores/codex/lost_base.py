"""What a rollout continued from whose header is lost.

Its first ordinal tells where the base ended. Which rollout that was is told by the names of the
files of one thread, or by the index of the home, which keeps what was asked first of a fork as of
its parent: if exactly one of those rollouts has a record before that ordinal, it is the base.
"""

import json
import posixpath
import sqlite3
from collections.abc import Iterator
from contextlib import closing

import msgspec
from msgspec import Struct

from suture.model.files import Files
from suture.stores._walk import absolute
from suture.stores.codex.beside import data_of, end_of, home_rollouts
from suture.stores.codex.names import RolloutName, above_sessions, rollout_name
from suture.stores.codex.vocabulary import REMOVED

_INDEX = "state_5.sqlite"
_HEAD = 1 << 20  # bytes in which the first ordinal stands
_LIKE = """
select other.id from threads mine join threads other
    on other.first_user_message = mine.first_user_message and other.id <> mine.id
where mine.id = ? and mine.first_user_message <> ''
"""
_ASKED = "select first_user_message from threads where id = ?"


class LostBase(Struct, frozen=True):
    thread: str
    rollout: str
    end: int  # bytes of it that are used


class Lost(Struct, frozen=True):
    name: RolloutName
    begins: int  # the ordinal of the lost header
    base: LostBase | None


class _Numbered(Struct):
    ordinal: int | None = None
    type: str | None = None


_decode = msgspec.json.Decoder(_Numbered).decode


def lost_base(path: str, files: Files) -> Lost | None:
    """None for a rollout that is the beginning of its thread, as far as its ordinals tell."""
    name, data = rollout_name(path), data_of(path, files)
    begins = None if data is None else _begins(data)
    if name is None or data is None or begins is None:
        return None
    others = [other for other in home_rollouts(path, files) if _is_another(other, name, files)]
    threads = {name.thread}
    found = list(_reaching(others, threads, begins, files))
    if not found:
        threads = _like(path, name.thread, data, files)
        found = list(_reaching(others, threads, begins, files))
    return Lost(name, begins, found[0] if len(found) == 1 else None)


def _begins(data: memoryview) -> int | None:
    """The header had the number before the first, and each line that cannot be read one more."""
    unread = 0
    for line in bytes(data[:_HEAD]).split(b"\n"):
        if not line.strip():
            continue
        try:
            found = _decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError):
            found = None
        if found is None or found.type == REMOVED:
            unread += 1
            continue
        ordinal = found.ordinal
        begins = 0 if ordinal is None else ordinal - max(unread, 1)
        return begins if begins > 0 else None
    return None


def _is_another(path: str, name: RolloutName, files: Files) -> bool:
    other = rollout_name(path)
    if other is None or other.rollout == name.rollout:
        return False
    return not (path.endswith(".zst") and files.exists(path.removesuffix(".zst")))


def _reaching(paths: list[str], threads: set[str], begins: int, files: Files) -> Iterator[LostBase]:
    """The rollouts of these threads in which one record stands before this ordinal."""
    for path in paths:
        name = rollout_name(path)
        if name is None or name.thread not in threads:
            continue
        data = data_of(path, files)
        end = None if data is None else end_of(data, begins - 1)
        if end is not None:
            yield LostBase(name.thread, name.rollout, end)


def _like(path: str, thread: str, data: memoryview, files: Files) -> set[str]:
    """Threads that were asked the same first, where it was not asked in this file."""
    folder = posixpath.dirname(path)
    home = above_sessions(folder) or above_sessions(absolute(folder))
    index = None if home is None else posixpath.join(home, _INDEX)
    if index is None or not files.exists(index):
        return set()
    try:
        with closing(files.sqlite(index)) as connection:
            asked = connection.execute(_ASKED, (thread,)).fetchone()
            if asked is None or not isinstance(asked[0], str) or _says(data, asked[0]):
                return set()
            return {str(row[0]) for row in connection.execute(_LIKE, (thread,))}
    except sqlite3.Error:
        return set()


def _says(data: memoryview, text: str) -> bool:
    written = (json.dumps(text, ensure_ascii=ascii)[1:-1] for ascii in (False, True))
    whole = bytes(data)
    return any(found.encode("utf-8", "surrogatepass") in whole for found in written)
