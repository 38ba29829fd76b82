"""A result stands before its call.

## Why it matters
Codex sends items in the order of the file, and the Responses API refuses an output before its call.
Claude Code goes by parent links and puts the pair right by itself, so there it is a warning, unless
the result hangs on another record than its call: then the result is left out, and the call is sent
with a made-up one.

## Example
    output call_1
    call   call_1

## Repair
Move the result right behind its call; nothing is invented or dropped. Lossy: the order is inferred.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Move, Policy, Repair, Safety
from suture.validators._pairs import number, results, unsent
from suture.validators._rule import Hit, Options, Rule, hit

_HEALED = "claude-code"  # its client joins pairs by id and parent

# A result right before its call is in the same message once the client has joined its lines.
_ASTRAY = """
select u.session, u.n, u.part from unpaired u
join record own on own.session = u.session and own.n = u.n
join record c on c.session = u.session and c.n = u.call_n
where u.state = 'before_call' and u.store = ? and u.call_n > u.n + 1 and own.parent is not null
    and not exists (
        select 1 from record up where up.session = u.session and up.id = own.parent
            and (up.n = c.n or up."group" = c."group"))
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    last_call: dict[tuple[int, int], int] = {}
    found = list(results(db, "before_call"))
    for row in found:  # several results of one record move together
        key = row.session, row.n
        last_call[key] = max(row.call_n, last_call.get(key, -1))
    rows = db.rows(_ASTRAY, _HEALED) if found else ()
    astray = {(row.session, row.n, row.part) for row in rows}
    for row in found:
        is_astray = (row.session, row.n, row.part) in astray
        where = " and hangs on another record" if is_astray else ""
        healed = row.store == _HEALED and not is_astray
        yield hit(
            row,
            f"result stands before the call that it answers{where}"
            f"{unsent(row.sent, row.call_sent)}",
            (row.call_id,),
            severity=Severity.WARN if healed else None,
            n=row.n,
            after=last_call[row.session, row.n],
        )


def fix(finding: Finding, db: Database, policy: Policy) -> Repair:
    session, n, after = (number(finding, fact) for fact in ("session", "n", "after"))
    return Repair("move the result behind its call", (Move(session, n, after),), Safety.LOSSY)


RULE = Rule("309", "result-before-call", Severity.ERROR, check, fix, needs=("pairing:before_call",))
