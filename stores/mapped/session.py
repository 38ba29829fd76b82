"""One session with its messages, and which of them are sent to the model."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import NamedTuple

from msgspec import Struct, field

from suture.model.answer import is_marked
from suture.stores.mapped.mapping import MappingFile, SummaryTable
from suture.stores.mapped.message import Message, read_messages
from suture.stores.mapped.rows import Record
from suture.stores.mapped.stored import Stored, integer

_MOST = 1_000_000  # originals of one summary


class Summary(Struct, frozen=True):
    """A row of the table that lists what a summary covers."""

    row: Record
    version: int | None
    message: int | None  # the summary's ordinal
    covers: Sequence[int]
    problem: str | None = None


class Entry(NamedTuple):
    """What is sent, with the version that it counts for."""

    message: Message | None  # None: a summary that a newer one stands for
    version: int | None
    summaries: Sequence[Summary] = ()
    originals: list[int] | None = None  # None: it should not be sent


_entry = partial(tuple.__new__, Entry)  # at half the price of Entry


class Session(Struct, dict=True):
    mapping: MappingFile
    stored: Stored
    messages: list[Message]
    summaries: list[Summary]
    version: int | None  # in force
    in_force: list[Summary] = field(default_factory=list)
    covered: dict[int, int] = field(default_factory=dict)  # ordinal → version that covers it

    @cached_property
    def by_ordinal(self) -> Mapping[int, Message]:
        return {m.ordinal: m for m in self.messages if m.ordinal is not None}

    @cached_property
    def uncounted(self) -> set[int]:
        """Messages that are not sent and whose results answer nothing, or, where no summary
        stands for them either, what another result answers."""
        left_out = [m for m in self.messages if m.active is False and m.results]
        if not left_out:
            return set()
        called = {call.id for message in self.messages for call in message.calls}
        counted = {
            result.id
            for message in self.messages
            if message.active is not False or message.ordinal in self.covered
            for result in message.results
        }
        return {
            message.n
            for message in left_out
            if all(
                r.id not in called or (r.id in counted and message.ordinal not in self.covered)
                for r in message.results
            )
        }

    @property
    def windowed(self) -> bool:
        """The store says which messages are sent."""
        message, summary = self.mapping.message, self.mapping.summary
        versioned = message.version is not None and self.version is not None
        return message.active is not None or summary is not None or versioned

    @cached_property
    def sent(self) -> Sequence[bool | None]:
        """By n; None: the store does not say."""
        if not self.windowed:
            return [None] * len(self.messages)
        if self.mapping.message.active is not None:
            return [message.active for message in self.messages]
        if self.mapping.summary is not None:
            return [message.ordinal not in self.covered for message in self.messages]
        return [message.version == self.version for message in self.messages]


def session_of(mapping: MappingFile, stored: Stored) -> Session:
    messages = read_messages(mapping, stored.messages)
    head, own = mapping.session, stored.head
    version = integer(own[head.version]) if head and own and head.version else None
    made = Session(mapping, stored, messages, [], version)
    if mapping.summary is not None:
        rows: Sequence[Record] = stored.summaries
        if mapping.summary.table == mapping.message.table:
            rows = [row for row in rows if _covers_some(mapping.summary, row)]
        made.summaries = list(_summaries(mapping.summary, rows))
        made.in_force = _in_force(made)
        for one in made.in_force:
            for ordinal in one.covers:
                made.covered[ordinal] = max(one.version or 0, made.covered.get(ordinal, 0))
    return made


def _covers_some(table: SummaryTable, row: Record) -> bool:
    return row[table.covers or table.first or ""] not in (None, "")


def _summaries(table: SummaryTable, rows: Sequence[Record]) -> Iterator[Summary]:
    for row in rows:
        covers, problem = _covers(table, row)
        version = integer(row[table.version]) if table.version else None
        yield Summary(row, version, integer(row[table.message]), covers, problem)


def _covers(table: SummaryTable, row: Record) -> tuple[Sequence[int], str | None]:
    if table.first is not None and table.last is not None:
        first, last = integer(row[table.first]), integer(row[table.last])
        if first is None or last is None or not 0 <= last - first < _MOST:
            return (), f"{table.first} to {table.last} is no range"
        return range(first, last + 1), None
    assert table.covers is not None
    value = row[table.covers]
    if isinstance(value, int):
        return (value,), None
    try:
        listed = json.loads(value) if isinstance(value, str | bytes) else None
    except (ValueError, RecursionError):
        listed = None
    if not isinstance(listed, list) or not all(type(ordinal) is int for ordinal in listed):
        return (), f"{table.covers} is no JSON list of whole numbers"
    return tuple(listed), None


def _in_force(session: Session) -> list[Summary]:
    """Those whose summary is sent, and those that such a one stands for."""
    reached = [s for s in session.summaries if not _is_ahead(session, s.version)]
    newest = max((s.version for s in reached if s.version is not None), default=None)
    found: dict[int, Summary] = {}
    roots = [s for s in reached if _is_active(session, s) or s.version == newest]
    by_message: dict[int, list[Summary]] = {}
    for one in reached:
        by_message.setdefault(-1 if one.message is None else one.message, []).append(one)
    while roots:
        found |= {id(one): one for one in roots}
        below = (s for one in roots for o in one.covers for s in by_message.get(o, ()))
        roots = list({id(s): s for s in below if id(s) not in found}.values())
    return sorted(found.values(), key=lambda s: (s.version or 0, s.message or 0))


def _is_ahead(session: Session, version: int | None) -> bool:
    return session.version is not None and version is not None and version > session.version


def _is_active(session: Session, summary: Summary) -> bool:
    message = session.by_ordinal.get(summary.message) if summary.message is not None else None
    return message is not None and message.active is not False


def entries(session: Session) -> Iterator[Entry]:
    """The window, in the order of the messages."""
    shown: set[int] = set()
    by_message: dict[int | None, list[Summary]] = {}
    for one in session.in_force:
        by_message.setdefault(one.message, []).append(one)
    now, covered = session.version, session.covered
    for message, sent in zip(session.messages, session.sent, strict=True):
        if not sent:
            continue
        if message.version != now or message.ordinal in covered:
            version = _counts_for(session, message)
            if version != now:
                yield Entry(message, version)
                continue
        mine: Sequence[Summary] = ()
        if by_message and message.ordinal is not None:
            mine = by_message.get(message.ordinal, ())
            shown.update(id(one) for one in mine)
        if message.kind in ("summary", "prompt") or message.ordinal is None:
            originals = _originals(session, message, mine)
        else:
            originals = [message.ordinal]
        yield _entry((message, now, mine, originals))
    for one in session.in_force:
        if id(one) not in shown:
            yield Entry(None, session.version, (one,), list(one.covers))


def _originals(session: Session, message: Message, mine: Sequence[Summary]) -> list[int]:
    if message.kind == "summary":
        return [ordinal for one in mine for ordinal in one.covers]
    own = [message.ordinal] if message.ordinal is not None else []
    return [*_left_out(session, message), *own] if is_note(message) else own


def _counts_for(session: Session, message: Message) -> int | None:
    """A message that no summary stands for goes along into the window of each new version."""
    own, now = message.version, session.version
    if now is None:
        return None
    if own is not None and own > now:
        return own
    covering = session.covered.get(message.ordinal) if message.ordinal is not None else None
    if covering is not None:
        return min(own if own is not None else now, covering - 1)
    if session.mapping.summary is None and own is not None:
        return own
    return now


def is_note(message: Message) -> bool:
    """A note of ours, which stands for the messages that were taken out before it."""
    return message.kind == "prompt" and is_marked(message.text or "")


def _left_out(session: Session, note: Message) -> list[int]:
    """What no longer is sent and no summary covers, since the note before."""
    found: list[int] = []
    for message in session.messages[: note.n]:
        if is_note(message):
            found = []
        elif message.active is False and message.ordinal is not None:
            found += [] if message.ordinal in session.covered else [message.ordinal]
    return found
