"""A message of the history is in no row of the current context window.

## Why it matters
The window stands for all that was said up to its last message: as it was said, or in a summary. A
message that no row names has vanished for the model without a compaction saying so.

## Example
    raw_message: 1 to 6; context_window_message: (seq 1, [1, 2]) (seq 2, [5, 6])

## Repair
None: whether the message was left out on purpose is not stored.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Severity
from suture.validators._rule import Hit, Options, Rule, hit
from suture.validators._windows import named_originals

_LEFT_OUT = """
with reach as (select session, max(seq) as seq from named_original group by session),
left_out as materialized (
    select r.session, r.n, r.ordinal from record r join reach w using (session)
    anti join named_original a on a.session = r.session and a.seq = r.ordinal
    where r.ordinal < w.seq and r.kind in ('prompt', 'reply', 'call', 'result', 'injected')
)
"""
_ANY = _LEFT_OUT + "select 1 from left_out limit 1"
# Half of a pair may be left out when the other half is in a summary: alone it could not be sent.
_GAPS = (
    _LEFT_OUT
    + """,
summarised as (
    select r.session, r.n from named_original a
    join record r on r.session = a.session and r.ordinal = a.seq
    where a.kind = 'summary' and a.session in (select session from left_out)
),
halves as (
    select p.session, p.call_n as n from pairing p
    join summarised s on s.session = p.session and s.n = p.result_n where p.state = 'paired'
    union
    select p.session, p.result_n from pairing p
    join summarised s on s.session = p.session and s.n = p.call_n where p.state = 'paired'
)
select l.* from left_out o join located l using (session, n)
anti join halves h on h.session = l.session and h.n = l.n
where l.kind <> 'result' or exists (  -- one that answers nothing may be left out
    select 1 from result f where f.session = l.session and f.n = l.n)
order by l.unit, l.session, l.n
"""
)


def check(db: Database, options: Options) -> Iterator[Hit]:
    named_originals(db)
    for row in db.rows(_GAPS) if db.rows(_ANY) else ():
        yield hit(
            row,
            f"message {row.ordinal} is in no row of the current window",
            (row.id,),
            anchor=f"ordinal {row.ordinal}",
            ordinal=row.ordinal,
        )


RULE = Rule("608", "window-gap", Severity.WARN, check, needs=("window",))
