"""What the rules about ordinals share: how each record stands to those before."""

from collections.abc import Sequence
from typing import Any

from suture.db import Database
from suture.model.operation import Blank, Operation, Renumber

# Most sessions are in order, and one pass of sums tells: there, ordinal minus n never changes.
# `highest` is of the records before; `step` is how a record stands to them.
_WALK = """
create temp table ordinal_step as
with suspect as (
    select session from record where "table" is null
    group by session
    having count(ordinal) > 0
       and (count(ordinal) <> count(*) or min(ordinal - n) <> max(ordinal - n))
),
numbered as (
    select session, n, ordinal, line, type, kind, copy_of, row_number() over w as nth,
           lag(ordinal) over w as before, lag(n) over w as before_n,
           lag(line) over w as before_line, lag(type) over w as before_type,
           max(ordinal) over (w rows between unbounded preceding and 1 preceding) as highest
    from record semi join suspect using (session)
    where ordinal is not null
    window w as (partition by session order by n)
),
walked as (
    select *, case
        when highest is null then 'first'
        when ordinal = before and ordinal = highest then 'duplicate'
        when ordinal <= highest then 'backwards'
        when ordinal = highest + 1 then 'next'
        else 'jump' end as step
    from numbered
)
select * from walked where step in ('jump', 'backwards', 'duplicate')
"""

# Telemetry of Codex: neither a request nor a list of turns is made from these.
_UNSEEN = frozenset({"event_msg/token_count", "event_msg/thread_settings_applied"})


def steps(db: Database, select: str) -> Sequence[Any]:
    """Rows of a query over `ordinal_step`: the records that are not in order. `nth`: of those of
    the session that have an ordinal."""
    db.once("ordinal_step", lambda: db.script(_WALK))
    return db.rows(select)


def is_unseen(record_type: str | None) -> bool:
    return record_type in _UNSEEN


def blank_or_number(session: int, n: int, first: int, unseen: int | None) -> Operation:
    """Take out the record that no reader misses; else number again from `n` on."""
    return Blank(session, unseen) if unseen is not None else Renumber(session, n, first)
