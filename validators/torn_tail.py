"""The last line has no line end and does not parse.

## Why it matters
A process that died while writing leaves half a record. Claude Code 2.1.197 resumes without it: of a
cut tool result the model sees neither the result nor its call; versions before 2.1.121 show a blank
session or refuse it. Claude Code appends its next record to the stub and loses that one as well.
Codex skips the stub; versions without ordinals append to it too. Where the stub shows that it was
the end of the last turn, nothing is missing but that: the turn was not interrupted.

## Example
    {"type":"user","uuid":"…","message":{"role":"us
    (end of file)

## Repair
Cut the stub; the journal keeps its bytes. The cut end of a Codex turn is written again as a whole
record, with the turn's id and the time that it had, so that no marker tells the model of an
interruption. Lossy. Where no other record is left nothing is gained, and the stub stays.
"""

from collections.abc import Collection, Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair, Replace, Safety
from suture.model.place import Span
from suture.validators._damage import cut, damage, damage_hit
from suture.validators._rule import Hit, Options, Rule

_CUT = cut("cut the half-written last record")


# Of which no record can be read, but for bare values.
_NOTHING_ELSE = """
select session from damage where kind = 'torn_tail' and session is not null
except select session from record where kind <> 'scalar'
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    alone = _alone(db)
    for row in damage(db, "kind = 'torn_tail' and live is null"):
        what = "last record" if row.fill is None else "the end of the last turn"
        if row.session in alone:
            what = "the only record"
        yield damage_hit(row, f"{what} is cut off after {row.length} bytes")


def fix(finding: Finding, db: Database, policy: Policy) -> Repair | None:
    session = finding.facts.get("session")
    if _goes_on(finding, db) or session in _alone(db):
        return None
    whole = finding.facts["fill"]
    if whole is None or not isinstance(finding.place, Span):
        return _CUT(finding, db, policy)
    operation = Replace(finding.place, str(whole).encode())
    return Repair("write the cut end of the turn again", (operation,), Safety.LOSSY)


def _alone(db: Database) -> Collection[int]:
    """Sessions of nothing but a torn line: cut, they would be empty files."""
    return db.once("torn alone", lambda: {row.session for row in db.rows(_NOTHING_ELSE)})


def _goes_on(finding: Finding, db: Database) -> bool:
    """Whether the rest of it lies in a compressed copy: it comes back by `duplicate-thread`."""
    sql = "select 1 from state_kv where session = ? and scope = 'twin' and value::bigint > 0"
    session = finding.facts.get("session")
    return session is not None and db.has("state:twin") and bool(db.rows(sql, session))


RULE = Rule(
    "101",
    "torn-tail",
    Severity.ERROR,
    check,
    fix,
    needs=("damage:torn_tail",),
)
