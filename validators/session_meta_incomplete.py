"""A session's header lacks what its client needs to read it.

## Why it matters
Codex takes the id of the thread from the header, and wants time, folder, originator and version
beside it. A header without one of them, or with a null or a number in its place, or with a
`history_mode` that the client does not know, does not parse, and the rollout is refused like one
without any header. So is one whose header stands on a damaged line, or behind anything but blank
lines.

## Example
    {"timestamp":…,"type":"session_meta","payload":{"cwd":"/home/dev/orchard",…no id…}}

## Repair
Without an id: put a whole header before it, the id from the file name, marked as rebuilt. Else
write what is missing into it, and leave the rest as it is. Lossy, since it is inferred. A mode that
a version wrote that is newer than those that were measured stays: that version may know it.

Lines that are no records before the header are blanked: lossy. Records of unknown types before it
are put behind it, byte for byte: safe, a client passes over them there. Records of known types
stay, for they may belong to another thread, or further down.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Rebuild, Repair, Safety
from suture.validators._headers import rebuild_header
from suture.validators._measured import is_newer
from suture.validators._pairs import number
from suture.validators._rule import Hit, Options, Rule, hit

_NAMELESS = """
with header as (
    select r.session, min(r.n) as n from record r join session s using (session)
    where s.meta_required and s.header_id is null and r.kind = 'header' group by r.session
)
select l.* from located_in('header') l order by l.unit, l.session
"""

_GAPS = """
with gap as (
    select k.session, k.n, string_agg(k.key || ' is ' || k.value, ', ' order by k.key) as gaps,
           bool_or(k.value like '%no mode that is known') as odd_mode
    from state_kv k join session s using (session)
    where k.scope = 'header' and s.header_id is not null group by all
)
select l.*, g.gaps, g.odd_mode, s.client, s.version
from gap g join located_in('gap') l using (session, n) join session s using (session)
order by l.unit, l.session
"""
_HIDDEN = """
with hidden as (select session, n, key as why from state_kv where scope = 'hidden_header')
select l.*, h.why, s.client, s.version
from hidden h join located_in('hidden') l using (session, n) join session s using (session)
order by l.unit, l.session
"""
_BEFORE = "something else stands before it"


def check(db: Database, options: Options) -> Iterator[Hit]:
    if db.has("header_id:none"):
        for row in db.rows(_NAMELESS):
            yield hit(row, "the header has no id", anchor="header")
    if db.has("state:header"):
        for row in db.rows(_GAPS):
            text = f"the header does not parse: {row.gaps}"
            # A client that comes later may know the mode: then nothing is damaged.
            later = bool(row.odd_mode) and is_newer(row.client, row.version)
            yield hit(row, text, anchor="header", later=later)
    if db.has("state:hidden_header"):
        for row in db.rows(_HIDDEN):
            text = f"no client reads the header: {row.why}"
            # A record before it may be what a client that comes later begins with.
            later = row.n > 0 and is_newer(row.client, row.version)
            yield hit(row, text, anchor="header", why=row.why, n=row.n, later=later)


def fix(finding: Finding, db: Database, policy: Policy) -> Repair | None:
    if finding.facts.get("later"):
        return None
    if "why" not in finding.facts:
        return rebuild_header(finding, db, policy)
    if finding.facts["why"] != _BEFORE:
        return None  # by the repair of its line
    operations = (Rebuild(number(finding, "session"), "first line"),)
    if number(finding, "n") > 0:  # records of unknown types, which a client passes over behind it
        return Repair("put the header first", operations, Safety.SAFE)
    return Repair("blank what stands before the header", operations, Safety.LOSSY)


RULE = Rule(
    "802",
    "session-meta-incomplete",
    Severity.ERROR,
    check,
    fix,
    needs=("header_id:none", "state:header", "state:hidden_header"),
)
