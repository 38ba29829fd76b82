"""Sessions as lists and one by one: what lies there before anybody resumes."""

from typing import Any

from suture.db.database import Database
from suture.db.tails import tails
from suture.model.inspection import (
    CallLine,
    CompactionLine,
    RecordPoint,
    SessionLine,
    SessionView,
    TurnLine,
)

_COUNTS = """
select s.session, s.kind, s.created, r.records, r.ended, coalesce(t.turns, 0) as turns,
       coalesce(c.calls, 0) as calls, coalesce(p.open_calls, 0) as open_calls
from session s
left join (select session, count(*) as records, max(time) as ended from record group by 1) r
  using (session)
left join (select session, count(*) as turns from turn group by 1) t using (session)
left join (select session, count(*) as calls from call where lane not like 'snapshot:%'
  and lane <> 'window' group by 1) c using (session)
left join (select session, count(*) as open_calls from pairing where state = 'open'
  and lane not like 'snapshot:%' and lane <> 'window' group by 1) p using (session)
"""
# What may have changed the world comes first.
_OPEN = """
select c.*, case side_effect when 'external' then 0 when 'unknown' then 1 when 'local' then 2
  else 3 end as rank
from pairing p join located_call c
  on c.session = p.session and c.n = p.call_n and c.part = p.call_part and c.lane = p.lane
where p.state = 'open' and p.session = ? and p.lane not like 'snapshot:%' and p.lane <> 'window'
order by rank, c.n, c.part
"""
_QUEUED = """
select n, line from state_kv join located using (session, n)
where session = ? and scope = 'queue' and state_kv.value is not null
order by n
"""


def session_lines(db: Database) -> list[tuple[int, SessionLine]]:
    counts = {row.session: row for row in db.rows(_COUNTS)}
    return [
        (key, _line(counts[key], name, store, path, version, tail))
        for key, name, path, store, _, version, _, tail in tails(db)
    ]


def _line(
    row: Any, name: str, store: str, path: str, version: str | None, tail: str
) -> SessionLine:
    return SessionLine(
        name,
        store,
        row.kind,
        path,
        version,
        row.created,
        row.ended,
        row.records or 0,
        row.turns,
        row.calls,
        row.open_calls,
        tail,
    )


def session_view(db: Database, key: int, line: SessionLine) -> SessionView:
    (row,) = db.rows("select * from session where session = ?", key)
    open_calls = tuple(_call(c) for c in db.rows(_OPEN, key))
    return SessionView(
        line=line,
        cwd=row.cwd,
        model=row.model,
        client=row.client,
        status=row.status,
        parent=row.parent,
        fork_of=row.fork_of,
        fork_ordinal=row.fork_ordinal,
        subagents=_subagents(db, row.id),
        turns=tuple(
            TurnLine(t.turn, t.id, t.status, t.started, t.ended)
            for t in db.rows("select * from turn where session = ? order by turn", key)
        ),
        calls_answered=line.calls - line.open_calls,
        open_calls=open_calls,
        last_complete=_last_complete(db, key),
        leaf=_record(db, key, row.leaf if row.leaf is not None else _last_sent(db, key)),
        next_ordinal=_next_ordinal(db, key, row),
        context_version=row.context_version,
        interruption=_interruption(line, row),
        generation=row.generation,
        compactions=tuple(
            CompactionLine(
                c.number, c.version, c.trigger, c.pre_tokens, c.post_tokens, c.summary_n is not None
            )
            for c in db.rows("select * from compaction where session = ? order by number", key)
        ),
        queued=tuple(f"line {q.line}" for q in db.rows(_QUEUED, key)),
    )


def _call(row: Any) -> CallLine:
    return CallLine(
        row.call_id, row.name, row.outcome, row.reason, row.side_effect, row.evidence, _place(row)
    )


def _place(row: Any) -> str:
    return f"{row.path}:{row.line}" if row.table is None else f"{row.path} {row.table} {row.key}"


def _subagents(db: Database, parent: str) -> tuple[str, ...]:
    rows = db.rows("select id from session where parent = ? order by session", parent)
    return tuple(row.id for row in rows)


def _last_complete(db: Database, key: int) -> RecordPoint | None:
    rows = db.rows(
        "select max(n) as n from talk where session = ? and lane = 'main' "
        "and on_chain is not false and kind in ('prompt', 'reply', 'result')",
        key,
    )
    return _record(db, key, rows[0].n)


def _last_sent(db: Database, key: int) -> int | None:
    """A log without branches goes on from the last record that reaches the model."""
    (row,) = db.rows("select max(n) as n from record where session = ? and sent", key)
    return row.n  # type: ignore[no-any-return]  # a column


def _record(db: Database, key: int, n: int | None) -> RecordPoint | None:
    if n is None:
        return None
    rows = db.rows("select * from located where session = ? and n = ?", key, n)
    return RecordPoint(rows[0].id, rows[0].kind, _place(rows[0]), rows[0].time) if rows else None


def _next_ordinal(db: Database, key: int, row: Any) -> int | None:
    if row.counter is not None:
        return int(row.counter)
    (found,) = db.rows("select max(ordinal) + 1 as next from record where session = ?", key)
    return found.next if row.numbered else None


def _interruption(line: SessionLine, row: Any) -> str | None:
    """Not `live`, which is said of writers: here the process is dead."""
    if line.tail in ("interrupted_tool", "interrupted_prompt", "half_written"):
        return "unhandled"
    return "historical" if row.generation or line.tail == "user_abort" else None
