"""The context window, the compactions that made it, turns and steps."""

from itertools import pairwise

from suture.model.rows import CompactionRow, EntryRow, StepRow, TurnRow
from suture.stores.mapped.message import SPOKEN
from suture.stores.mapped.session import Entry, Session, Summary, entries
from suture.stores.mapped.viewing import Out, View


def window(view: View) -> Out:
    if view.session.windowed:
        for pos, entry in enumerate(entries(view.session)):
            yield "context_entry", _entry(view, entry, pos)


def _entry(view: View, entry: Entry, pos: int) -> EntryRow:
    message = entry.message
    if entry.summaries:
        row, section = entry.summaries[0].row, "summary"
    else:
        assert message is not None
        row, section = message.row, "message"
    ordinal = message.ordinal if message else entry.summaries[0].message
    is_summary = message is None or message.kind == "summary"
    return EntryRow(
        session=view.key,
        version=entry.version,
        pos=ordinal if ordinal is not None else -1 - pos,
        n=message.n if message and not is_summary else None,
        kind="summary" if is_summary else "original",
        current=entry.version is None or entry.version <= (view.session.version or 0),
        original_seqs=list(entry.originals) if entry.originals is not None else None,
        call_ids=[call.id for call in message.calls] if message else [],
        result_id=message.results[0].id if message and message.results else None,
        table=view.table(section).name,
        key=view.place(section, row),
    )


def compactions(view: View) -> Out:
    session = view.session
    if not session.messages:
        return
    sent = sum(1 for message in session.messages if session.is_sent(message))
    for number, summary in enumerate(session.summaries, 1):
        own = session.by_ordinal.get(summary.message) if summary.message is not None else None
        boundary = own.n if own else _last_covered(session, summary)
        before = [m for m in session.messages[:boundary] if m.kind in SPOKEN]
        yield (
            "compaction",
            CompactionRow(
                session=view.key,
                number=number,
                n=boundary,
                summary_n=own.n if own else None,
                needs_summary=True,
                version=summary.version,
                kept=sent if summary.version == session.version else None,
                talk_before=len(before),
            ),
        )


def _last_covered(session: Session, summary: Summary) -> int:
    known = [session.by_ordinal[o].n for o in summary.covers if o in session.by_ordinal]
    return max(known, default=len(session.messages) - 1)


def periods(view: View) -> Out:
    """Turns run from one prompt to the next; a reply without calls completes one."""
    messages = view.session.messages
    starts = [m.n for m in messages if m.kind == "prompt"]
    for number, (start, stop) in enumerate(pairwise([*starts, len(messages)])):
        last = messages[stop - 1]
        done = last.kind == "reply"
        status = "complete" if done else "open"
        yield "turn", TurnRow(view.key, number, None, start, last.n if done else None, status)
    turn, step = -1, 0
    for message in messages:
        if message.kind == "prompt":
            turn += 1
        elif message.kind in ("reply", "call"):
            row = StepRow(view.key, step, None, max(turn, 0), message.n, message.n)
            yield "step", row if turn >= 0 else row._replace(turn=None)
            step += 1
