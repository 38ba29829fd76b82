"""Turns, steps and compactions, which the tables show without naming them."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from suture.model.rows import CompactionRow
from suture.stores.laxcode.session import Session
from suture.stores.laxcode.window import Entry, whole


def turns(key: int, session: Session) -> Iterator[tuple[Any, ...]]:
    """From one user message to the next; complete if a reply without calls ends it."""
    raw = session.raw
    starts = [n for n, line in enumerate(raw) if line.role == "user"]
    for number, (start, stop) in enumerate(pairwise([*starts, len(raw)])):
        last = raw[stop - 1]
        done = last.role == "assistant" and not session.calls[stop - 1]
        yield (
            key,
            number,
            start,
            stop - 1 if done else None,
            "complete" if done else "open",
            raw[start].time,
            last.time if done else None,
        )


def steps(key: int, session: Session) -> Iterator[tuple[Any, ...]]:
    """One for each reply of the model."""
    turn, replies = -1, 0
    for n, line in enumerate(session.raw):
        if line.role == "user":
            turn += 1
        elif line.role == "assistant":
            tokens = whole(line.tokens_in) or None, whole(line.tokens_out) or None
            yield key, replies, turn if turn >= 0 else None, n, n, *tokens
            replies += 1


def compactions(key: int, session: Session) -> Iterator[CompactionRow]:
    """One for each version after the first, at the last message that a summary of it covers."""
    first = session.shape.first
    if not session.window and (session.version or 0) <= first:
        return
    versions = {entry.version for entry in session.entries} | {session.version}
    known = sorted(version for version in versions if version is not None and version > first)
    for number, version in enumerate(known, 1):
        entries = [entry for entry in session.entries if entry.version == version]
        boundary = _boundary(session, entries)
        yield CompactionRow(
            session=key,
            number=number,
            n=boundary,
            version=version,
            kept=len(entries),
            talk_before=sum(line.role != "system" for line in session.raw[: boundary + 1]),
        )


def _boundary(session: Session, entries: list[Entry]) -> int:
    covered = {seq for entry in entries if entry.summary for seq in entry.originals}
    found = (n for n, line in enumerate(session.raw) if line.seq in covered)
    return max(found, default=max(len(session.raw) - 1, 0))
