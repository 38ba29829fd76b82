"""Context windows: what each compaction kept, and what the model is sent after the newest one."""

from collections.abc import Iterator

from suture.model.answer import is_marked
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
    return session.newest[1].version if session.newest else None


def entries(session: Session) -> Iterator[EntryRow]:
    at, newest = _by_ordinal(session), session.newest
    for n, payload in session.compactions:
        current = newest is not None and n == newest[0]
        listed = [one for entry in payload.entries or [] for one in _single(entry)]
        for pos, (kind, ordinals) in enumerate(listed, 1):
            yield _entry(session, payload.version, pos, kind, ordinals, at, current)
        if current:
            for pos, record in enumerate(talk_after(session, n), len(listed) + 1):
                assert record.ordinal is not None
                own = [record.ordinal]
                yield _entry(session, payload.version, pos, "original", own, at, True)


def _single(entry: Entry) -> Iterator[tuple[str, list[int]]]:
    """An entry of several originals that stand in the window as they are is one a piece."""
    if entry.kind == "original":
        for ordinal in entry.original_ordinals:
            yield "original", [ordinal]
    else:
        yield "summary", entry.original_ordinals


def sent(session: Session) -> list[bool]:
    """Of each record, whether it reaches the model as it stands."""
    if session.newest is None:
        return [record.kind in TALK for record in session.records]
    n, payload = session.newest
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


def talk_after(session: Session, n: int) -> list[Record]:
    return [r for r in session.records[n + 1 :] if r.kind in TALK and r.ordinal is not None]


def _entry(
    session: Session,
    version: int | None,
    pos: int,
    kind: str,
    ordinals: list[int],
    at: dict[int, Record],
    current: bool,
) -> EntryRow:
    record = at.get(ordinals[0]) if kind == "original" else None
    call_id = record.call_id if record else None
    return EntryRow(
        session=session.key,
        version=version,
        pos=pos,
        n=record.n if record else None,
        kind=kind,
        current=current,
        original_seqs=ordinals,
        call_ids=[call_id] if record and record.kind == "call" and call_id else [],
        result_id=call_id if record and record.kind == "result" else None,
    )


def left_out(session: Session) -> dict[int, int]:
    """n of a call that a repair took out of the window → ordinal of the event that did."""
    if session.newest is None:
        return {}
    n, payload = session.newest
    by = session.records[n].ordinal
    at = _by_ordinal(session)
    return {
        at[ordinal].n: by if by is not None else n
        for entry in payload.entries or []
        if entry.kind == "summary" and isinstance(entry.content, str) and is_marked(entry.content)
        for ordinal in entry.original_ordinals
        if ordinal in at
    }
