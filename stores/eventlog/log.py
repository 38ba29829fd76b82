"""A log under repair: its sessions, where each ends, and which lines may leave it."""

from itertools import count

from suture.model.errors import Unsupported
from suture.model.files import Files
from suture.model.place import Span
from suture.model.unit import Unit
from suture.stores.eventlog.clock import a_moment_later
from suture.stores.eventlog.sessions import read_log
from suture.stores.eventlog.view import Record, Session
from suture.stores.eventlog.writer import Tail

_STRIDE = 1 << 16
CHAIN = "the chain of hashes would break"


class Log:
    def __init__(self, unit: Unit, files: Files) -> None:
        self.path = unit.paths[0]
        try:
            self.data = files.data(self.path)
        except OSError as error:
            raise Unsupported(f"the log cannot be read: {error.strerror or error}") from error
        base = unit.index << 32
        keys = (base + number for number in count())
        self.sessions = read_log(unit.index, self.path, self.data, False, keys)
        self._at: dict[tuple[int, int], tuple[Session, Record]] | None = None

    def session(self, key: int) -> Session:
        return self.sessions[key & 0xFFFFFFFF]

    def stored(self, record: Record) -> bytes:
        return bytes(self.data[record.offset : record.offset + record.length])

    def end(self, session: Session) -> int:
        """Where a line that is added to the session goes."""
        if session is self.sessions[-1] or not session.records:
            return len(self.data)
        last = session.records[-1]
        return self.line_end(last.offset + last.length)

    def line_end(self, offset: int) -> int:
        """Past the next LF."""
        rest = bytes(self.data[offset : offset + 2])
        return offset + (rest.index(b"\n") + 1 if b"\n" in rest else 0)

    def line_of(self, offset: int) -> tuple[int, int]:
        """The bounds of the line around an offset, its LF left out."""
        return self._line_start(offset), self._line_stop(offset)

    def _line_start(self, offset: int) -> int:
        while offset > 0:
            low = max(offset - _STRIDE, 0)
            found = bytes(self.data[low:offset]).rfind(b"\n")
            if found >= 0:
                return low + found + 1
            offset = low
        return 0

    def _line_stop(self, offset: int) -> int:
        while offset < len(self.data):
            found = bytes(self.data[offset : offset + _STRIDE]).find(b"\n")
            if found >= 0:
                return offset + found
            offset += _STRIDE
        return len(self.data)

    def record_at(self, place: Span) -> tuple[Session, Record] | None:
        """The record that lies at exactly these bytes."""
        if self._at is None:
            self._at = {(r.offset, r.length): (s, r) for s in self.sessions for r in s.records}
        return self._at.get((place.offset, place.length))


def removable(session: Session, gone: set[int]) -> None:
    """Raises Unsupported if a record that stays names one that goes as the one before it."""
    before: Record | None = None
    for record in session.records:
        if record.n in gone:
            continue
        skipped = record.n - (before.n if before else -1) > 1
        expected = before.chain if before else None
        if skipped and record.chain is not None and record.prev != expected:
            raise Unsupported(CHAIN)
        before = record


def tail_of(session: Session, gone: set[int]) -> tuple[Tail, str]:
    """What the next line hangs on, and its time."""
    kept = [record for record in session.records if record.n not in gone]
    chained = any(record.chain is not None for record in kept)
    chain = next((record.chain for record in reversed(kept) if record.chain), None)
    last = max((record.ordinal for record in kept if record.ordinal is not None), default=-1)
    time = next((record.ts for record in reversed(kept) if record.ts), None)
    if time is None:
        raise Unsupported("no record has a time that an added one could follow")
    return Tail(session.id, last, chain, chained or not kept), a_moment_later(time)
