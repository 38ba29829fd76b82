"""Turns, steps and compactions, which the three tables show without naming them."""

from collections.abc import Iterator
from itertools import pairwise

from suture.model.rows import CompactionRow, StepRow, TurnRow
from suture.stores._times import microseconds
from suture.stores.laxcode.fields import calls
from suture.stores.laxcode.tables import Record, Stored, integer
from suture.stores.laxcode.window import entry, is_summary


def turns(session: int, stored: Stored) -> Iterator[TurnRow]:
    """From one user message to the next; complete if a reply without calls ends it."""
    starts = [n for n, row in enumerate(stored.raw) if row["role"] == "user"]
    for number, (start, stop) in enumerate(pairwise([*starts, len(stored.raw)])):
        last = stored.raw[stop - 1]
        done = last["role"] == "assistant" and not calls(last)[0]
        yield TurnRow(
            session=session,
            turn=number,
            id=None,
            start_n=start,
            end_n=stop - 1 if done else None,
            status="complete" if done else "open",
            started=microseconds(stored.raw[start].get("created_at")),
            ended=microseconds(last.get("created_at")) if done else None,
        )


def steps(session: int, stored: Stored) -> Iterator[StepRow]:
    turn = -1
    replies = 0
    for n, row in enumerate(stored.raw):
        if row["role"] == "user":
            turn += 1
        elif row["role"] == "assistant":
            yield StepRow(session, replies, None, turn if turn >= 0 else None, n, n)
            replies += 1


def compactions(session: int, stored: Stored) -> Iterator[CompactionRow]:
    """One for each version above 0, at the last message that a summary of it covers."""
    versions = {stored.version_of(row) for row in stored.window} | {stored.version}
    known = sorted(version for version in versions if version is not None and version > 0)
    for number, version in enumerate(known, 1):
        rows = [row for row in stored.window if stored.version_of(row) == version]
        boundary = _boundary(stored, rows)
        yield CompactionRow(
            session=session,
            number=number,
            n=boundary,
            version=version,
            kept=len(rows),
            talk_before=sum(row["role"] != "system" for row in stored.raw[: boundary + 1]),
        )


def _boundary(stored: Stored, rows: list[Record]) -> int:
    entries = [entry(stored, row) for row in rows]
    covered = {seq for one in entries if is_summary(stored, one) for seq in one.originals}
    found = (n for n, row in enumerate(stored.raw) if integer(row["seq"]) in covered)
    return max(found, default=max(len(stored.raw) - 1, 0))
