"""The records of a file name another session than the file does.

## Why it matters
Claude Code resumes by file name, and lists by what stands inside; Codex refuses a rollout whose
header names another thread. The file was renamed or copied by hand, or two sessions were merged.
Subagent files, continuation segments, and what an old resume copied to the start of a new file
name another session legally. OpenCode finds a part by its message, so a part with another session
(W) is sent all the same, but deleted and exported with the other one.

## Example
    1fd2a46c-….jsonl: {"type":"user","sessionId":"de481817-…",…}

## Repair
None by default: either the name or all the ids are right, and only a person knows which.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Severity
from suture.validators._rule import Hit, Options, Rule, hit

# Records before the first one of the session's own were copied by an old resume.
_CLAUDE = """
with named as (
    select r.session, r.n, r.line, r.names_session, s.name_id,
        count(*) filter (where r.names_session is null)
            over (partition by r.session order by r.n) as own,
        count(*) filter (where r.names_session is null) over (partition by r.session) as all_own
    from record r join session s using (session)
    where s.store = 'claude-code' and s.kind = 'main' and s.name_id is not null and r.chained
      and s.session in (select session from record where names_session is not null)
),
wrong as (
    select session, min(n) as n, list(line order by n) as lines, any_value(name_id) as expected,
           list(distinct names_session order by names_session) as named
    from named where names_session is not null and (own > 0 or all_own = 0)
    group by session
)
select l.*, w.lines, w.expected, w.named from wrong w join located l using (session, n)
order by l.unit, l.session
"""

_CODEX = """
select l.*, [l.line] as lines, s.name_id as expected, [s.header_id] as named
from (select session, min(n) as n from record where kind = 'header' group by session)
join located l using (session, n) join session s using (session)
where s.store = 'codex' and s.header_id <> s.name_id
order by l.unit, l.session
"""

_OPENCODE = """
with other as (
    select r.session, min(r.n) as n, count(*) as parts,
           list(distinct r.names_session order by r.names_session) as named
    from record r join session s using (session)
    where s.store = 'opencode' and r.names_session is not null
    group by r.session
)
select l.*, o.named, o.parts from other o join located l using (session, n)
order by l.unit, l.session
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for sql in (_CLAUDE, _CODEX):
        for row in db.rows(sql):
            records = "a record names" if len(row.lines) == 1 else f"{len(row.lines)} records name"
            yield hit(
                row,
                f"{records} another session than the file does",
                row.named[:20],
                anchor="session id",
                expected=row.expected,
                lines=row.lines[:100],
            )
    for row in db.rows(_OPENCODE):
        parts = "a part names" if row.parts == 1 else f"{row.parts} parts name"
        message = f"{parts} another session than their message does"
        yield hit(row, message, row.named[:20], anchor="session id", severity=Severity.WARN)


RULE = Rule(
    "804", "wrong-session-id", Severity.ERROR, check, needs=("names_session", "header_id:other")
)
