"""Which rollouts belong together: segments of a thread, and forks by reference with their bases."""

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from msgspec import Struct

from suture.model.files import Files
from suture.model.packed import zstd
from suture.model.unit import Unit
from suture.stores.codex.beside import home_rollouts
from suture.stores.codex.lost_base import lost_base
from suture.stores.codex.names import rollout_name

_HEADER = 1 << 20  # no first line is longer; base instructions and tools stand in it
_BITE = 1 << 15
_BASE = re.compile(rb'"history_base"\s*:\s*\{[^{}]*?"thread_id"\s*:\s*"([^"]+)"')
_END = re.compile(rb'"history_base"\s*:\s*\{[^{}]*?"end_byte_offset"\s*:\s*(\d+)')
_ID = re.compile(rb'"payload"\s*:\s*\{[^{}]*?"id"\s*:\s*"([^"]+)"')


class Link(Struct, frozen=True):
    path: str
    thread: str | None
    rollout: str | None  # the id by which others name this file
    base: str | None
    base_end: int | None  # bytes of the base that are used


def read_link(path: str, files: Files) -> Link:
    """A file that cannot be read has no links; reading it later says why."""
    name = rollout_name(path)
    try:
        first = _first_line(path, files)
    except (OSError, EOFError, zstd.ZstdError):
        return Link(path, None, None, None, None)
    header = _ID.search(first) if b'"session_meta"' in first else None
    thread = header[1].decode("utf-8", "replace") if header else (name.thread if name else None)
    base = _BASE.search(first)
    end = _END.search(first)
    if header is None or not first.rstrip().endswith(b"}"):
        lost = lost_base(path, files)
        if lost is not None and lost.base is not None:
            return Link(path, thread, lost.name.rollout, lost.base.rollout, lost.base.end)
    return Link(
        path,
        thread,
        name.rollout if name else thread,
        base[1].decode("utf-8", "replace") if base else None,
        int(end[1]) if end else None,
    )


def _first_line(path: str, files: Files) -> bytes:
    """Read in a small bite first: thousands of files are looked at for their links alone."""
    for size in (_BITE, _HEADER):
        found = files.start(path, size)
        end = found.find(b"\n")
        if end >= 0:
            return found[:end]
    return found


def units(files: Files, paths: Sequence[str]) -> list[Unit]:
    """One unit a lineage: a rollout with the rollouts that it continues or branches off."""
    links = [read_link(path, files) for path in _plain_first(files, paths)]
    known = {link.rollout for link in links}
    for link in links:  # grows while it is walked: a base may have a base
        if link.base is not None and link.base not in known:
            known.add(link.base)
            beside = _find(link.base, link.path, files)
            if beside is not None:
                links.append(read_link(beside, files))
    return [Unit(0, "codex", paths) for paths in _components(links)]


def _plain_first(files: Files, paths: Sequence[str]) -> list[str]:
    """Codex reads the plain file when a compressed one stands beside it."""
    return [
        path
        for path in paths
        if not (path.endswith(".zst") and files.exists(path.removesuffix(".zst")))
    ]


def _components(links: Sequence[Link]) -> list[tuple[str, ...]]:
    group: dict[str, str] = {}

    def top(key: str) -> str:
        while group.setdefault(key, key) != key:
            group[key] = key = group[group[key]]
        return key

    for link in links:
        mine = f"path:{link.path}"
        for other in (link.rollout, link.base, link.thread):
            if other is not None:
                group[top(other)] = top(mine)
    members: dict[str, list[Link]] = {}
    for link in links:
        members.setdefault(top(f"path:{link.path}"), []).append(link)
    return [tuple(link.path for link in _ordered(found)) for found in members.values()]


def _ordered(links: Sequence[Link]) -> list[Link]:
    """Bases first, so that the root of a lineage gives the unit its name."""
    return sorted(links, key=lambda link: (link.base is not None, PurePath(link.path).name))


def _find(rollout: str, beside: str, files: Files) -> str | None:
    for path in home_rollouts(beside, files):
        name = rollout_name(path)
        if name is not None and name.rollout == rollout:
            return path
    return None


def referring(path: str, files: Files) -> Iterator[Link]:
    """Rollouts of the same home whose history stands partly in this file."""
    own = read_link(path, files)
    for other in home_rollouts(path, files):
        if other != path:
            link = read_link(other, files)
            if link.base is not None and link.base in (own.rollout, own.thread):
                yield link
