"""Whether the history that a rollout continues from is there, and reaches as far as it says."""

import os
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import PurePath

from suture.model.files import Files
from suture.model.rows import OddPartRow, StateRow
from suture.stores._json_span import span
from suture.stores.codex.beside import ORDINAL, data_of, end_of
from suture.stores.codex.header import is_read
from suture.stores.codex.lineage import Link, read_link
from suture.stores.codex.lines import Base
from suture.stores.codex.names import rollout_name
from suture.stores.codex.rollout import Rollout

COMPRESSED = ".zst"
_END = ("payload", "history_base", "end_byte_offset")


class Bases:
    """The rollouts of a unit, as each names the one that it continues from."""

    def __init__(self, paths: Sequence[str], files: Files) -> None:
        self._paths, self._files = paths, files

    @cached_property
    def _links(self) -> dict[str | None, Link]:
        links = (read_link(path, self._files) for path in self._paths)
        return {link.rollout: link for link in links}

    def rows(self, rollout: Rollout, session: int) -> Iterator[OddPartRow]:
        header = rollout.header
        base = header.payload.history_base
        if base is None or header.n is None or base.thread_id is None:
            return
        row = OddPartRow(session, header.n, -1, "broken_base", "", base.end_byte_offset)
        link = self._links.get(base.thread_id)
        if link is None:
            # A copy from elsewhere comes without its base: only in a home is that a loss.
            kind = "broken_base" if _in_home(rollout.path) else "base_elsewhere"
            yield row._replace(kind=kind, detail="the rollout that it continues from is absent")
            return
        if self._circles(rollout):
            yield row._replace(detail="the rollouts continue from each other in a circle")
            return
        meta = header.payload
        owner = meta.forked_from_id or meta.id
        if link.thread is not None and owner is not None and link.thread != owner:
            yield row._replace(detail="it continues from a rollout of another thread")
        above = self._refused_above(link)
        if above is not None:
            yield row._replace(detail=above)
            return
        data = data_of(link.path, self._files)
        if data is not None:
            yield from _reach(rollout, row, base, data)

    def _refused_above(self, link: Link) -> str | None:
        """Why a client does not load what a rollout continues from, or what that one continues
        from: it reads the headers of all of them, and each up to where the next one begins."""
        seen: set[str] = set()
        while link.path not in seen:
            seen.add(link.path)
            data = data_of(link.path, self._files)
            if data is None:
                return "a rollout that it continues from cannot be read"
            if not is_read(data):
                return "no client reads the header of a rollout that it continues from"
            if link.base is None:
                return None
            below = self._links.get(link.base)
            if below is None:
                return "a rollout that it continues from lacks the one that it continues from"
            end, size = link.base_end or 0, len(data_of(below.path, self._files) or b"")
            if 0 < size < end:
                return (
                    f"a rollout that it continues from does so from byte {end} of a rollout of "
                    f"{size} bytes"
                )
            link = below
        return None

    def _circles(self, rollout: Rollout) -> bool:
        name = rollout_name(rollout.path)
        seen: set[str | None] = set()
        at = self._links.get(name.rollout if name else rollout.header.payload.id)
        while at is not None and at.base is not None:
            if at.rollout in seen:
                return True
            seen.add(at.rollout)
            at = self._links.get(at.base)
        return False


def _in_home(path: str) -> bool:
    parts = PurePath(os.path.abspath(path)).parts  # noqa: PTH100 (links stay as they are)
    return not {"sessions", "archived_sessions"}.isdisjoint(parts)


def _reach(rollout: Rollout, row: OddPartRow, base: Base, data: memoryview) -> Iterator[OddPartRow]:
    end, ordinal = base.end_byte_offset, base.end_ordinal_exclusive
    if end is None or ordinal is None:
        return
    if 0 < end <= len(data) and data[end - 1] == 0x0A and _last_ordinal(data, end) == ordinal - 1:
        return
    if end > len(data):
        detail = f"it continues from byte {end} of a rollout of {len(data)} bytes"
    elif end <= 0 or data[end - 1] != 0x0A:
        detail = f"it continues from byte {end}, which is inside a line"
    else:
        detail = f"byte {end} of what it continues from is not where ordinal {ordinal} begins"
    (header,) = rollout.records.pick([row.n])
    place = None if header.recovered else span(rollout.raw(header), _END)
    if place is not None:
        row = row._replace(offset=header.offset + place[0], length=place[1] - place[0])
    yield row._replace(detail=detail, limit=end_of(data, ordinal - 1))


def _last_ordinal(data: memoryview, end: int) -> int | None:
    """Of the last line before `end` that is not blank."""
    start, step = end, 1 << 14
    while start:
        start = max(0, end - step)
        lines = bytes(data[start:end]).rstrip(b" \n").rsplit(b"\n", 1)
        if len(lines) == 2 or not start:
            found = ORDINAL.search(lines[-1])
            return int(found[1]) if found else None
        step *= 4
    return None


def twin_row(rollout: Rollout, session: int, files: Files) -> StateRow | None:
    """A compressed copy beside the plain file, which Codex leaves unread. Where the one begins with
    the other the value is how many bytes more the copy holds. Of a plain file without a header,
    empty or cut within it, no more is asked than whether it is the beginning."""
    if rollout.path.endswith(".zst"):
        return None
    if not files.exists(rollout.path + COMPRESSED):
        return None
    more, other = None, data_of(rollout.path + COMPRESSED, files)
    if other is not None and (
        _begins_with(other, rollout.data) or _begins_with(rollout.data, other)
    ):
        more = len(other) - len(rollout.data)
    if more == 0 or (rollout.header.n is None and (more is None or more < 0)):
        return None
    value = None if more is None else str(more)
    return StateRow(session, rollout.header.n, "twin", "differs", value)


def rest_of_twin(path: str, data: memoryview, files: Files) -> memoryview | None:
    """What the compressed copy holds behind the bytes of the plain file; None where it does not
    begin with them. Raises what reading a compressed file does."""
    other = files.data(path + COMPRESSED)
    return other[len(data) :] if _begins_with(other, data) else None


def _begins_with(data: memoryview, start: memoryview) -> bool:
    return data[: len(start)] == start
