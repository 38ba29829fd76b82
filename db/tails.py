"""How each session ends: the question that an on-call engineer asks first."""

from suture.db.database import Database
from suture.db.facts import UNFINISHED

# Text of the same response may follow its calls: the table knows batches.
_OPEN = """
select distinct session from unanswered
where not later and lane = 'main' and legal_open is null and on_chain is not false
"""
_NONE = "select session from session limit 0"
_TAILS = f"""
with spoken as (
    select session, max(n) as n from record
    where kind in ('prompt', 'reply', 'reasoning', 'call', 'result', 'abort')
      and lane = 'main' and on_chain is not false
    group by session
),
last as (select session, kind, status from record join spoken using (session, n)),
open_end as ({{}}),
torn as (select distinct session from damage where kind = 'torn_tail' and session is not null)
select s.session, s.id, s.path, s.store, s.client, s.version, s.unit,
  case
    when s.live is not null then 'live'
    when t.session is not null then 'half_written'
    when l.kind = 'reply' and u.session is null and s.store not in ('claude-code', 'codex')
         and l.status in {UNFINISHED}
        then 'half_written'  -- the stream of a message did not end
    when u.session is not null then 'interrupted_tool'
    when l.kind = 'abort' then 'user_abort'
    when l.kind in ('call', 'result') then 'interrupted_tool'
    when l.kind = 'prompt' then 'interrupted_prompt'
    else 'clean'
  end as tail
from session s
left join last l using (session)
left join open_end u using (session)
left join torn t using (session)
order by s.unit, s.session
"""


def tails(db: Database) -> list[tuple[int, str, str, str, str | None, str | None, int, str]]:
    """(session, id, path, store, client, version, unit, tail) of every session."""
    ends = _TAILS.format(_OPEN if db.has("pairing:open") else _NONE)
    return [tuple(row) for row in db.rows(ends)]
