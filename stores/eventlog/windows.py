"""Context windows: what each compaction kept, and what the model is sent after the newest one."""

from collections.abc import Iterator
from typing import Any

from suture.model.rows import CompactionRow, EntryRow
from suture.stores.eventlog.payloads import Entry
from suture.stores.eventlog.view import TALK, Record, Session


def compactions(session: Session) -> Iterator[CompactionRow]:
    for number, (n, payload) in enumerate(session.compactions, 1):
        entries = payload.entries or []
        yield CompactionRow(
            session=session.key,
            number=number,
            n=n,
            summary_n=n if any(entry.kind == "summary" for entry in entries) else None,
            version=payload.version,
            kept=len(entries),
            talk_before=sum(record.kind in TALK for record in session.records[:n]),
        )


def context_version(session: Session) -> int | None:
    return session.compactions[-1][1].version if session.compactions else None


def entries(session: Session) -> Iterator[EntryRow]:
    at = _by_ordinal(session)
    for number, (n, payload) in enumerate(session.compactions, 1):
        current = number == len(session.compactions)
        pos = 0
        for pos, entry in enumerate(payload.entries or [], 1):
            yield _entry(session, payload.version, pos, entry, at, current)
        if current:
            for later, record in enumerate(_talk_after(session, n), pos + 1):
                yield _later(session, payload.version, later, record)


def sent(session: Session) -> list[bool]:
    """Of each record, whether it reaches the model as it stands."""
    if not session.compactions:
        return [record.kind in TALK for record in session.records]
    n, payload = session.compactions[-1]
    kept = {
        ordinal
        for entry in payload.entries or []
        if entry.kind == "original"
        for ordinal in entry.original_ordinals
    }
    return [
        record.n == n or (record.kind in TALK and (record.n > n or record.ordinal in kept))
        for record in session.records
    ]


def _by_ordinal(session: Session) -> dict[int, Record]:
    found: dict[int, Record] = {}
    for record in session.records:
        if record.ordinal is not None:
            found.setdefault(record.ordinal, record)
    return found


def _talk_after(session: Session, n: int) -> list[Record]:
    return [r for r in session.records[n + 1 :] if r.kind in TALK and r.ordinal is not None]


def _entry(
    session: Session,
    version: int | None,
    pos: int,
    entry: Entry,
    at: dict[int, Record],
    current: bool,
) -> EntryRow:
    verbatim = entry.kind == "original"
    records = [at[o] for o in entry.original_ordinals if o in at] if verbatim else []
    return EntryRow(
        session=session.key,
        version=version,
        pos=pos,
        n=records[0].n if records else None,
        kind=entry.kind,
        current=current,
        original_seqs=entry.original_ordinals,
        call_ids=[r.call_id for r in records if r.kind == "call" and r.call_id],
        result_id=next((r.call_id for r in records if r.kind == "result"), None),
    )


def _later(session: Session, version: int | None, pos: int, record: Record) -> EntryRow:
    """What was appended after the compaction follows its entries."""
    assert record.ordinal is not None
    return EntryRow(
        session=session.key,
        version=version,
        pos=pos,
        n=record.n,
        kind="original",
        current=True,
        original_seqs=[record.ordinal],
        call_ids=[record.call_id] if record.kind == "call" and record.call_id else [],
        result_id=record.call_id if record.kind == "result" else None,
    )


def relisted(session: Session, stored: list[dict[str, Any]], n: int) -> list[dict[str, Any]]:
    """Entries in which no original stands twice: the earlier one keeps it. What was appended after
    the compaction at `n` is listed too."""
    seen: set[int] = set()
    kept: list[dict[str, Any]] = []
    later = [
        {"kind": "original", "original_ordinals": [r.ordinal]} for r in _talk_after(session, n)
    ]
    for entry in [*stored, *later]:
        left = [ordinal for ordinal in entry["original_ordinals"] if ordinal not in seen]
        seen.update(left)
        if left:
            kept.append({**entry, "original_ordinals": left})
    return kept
