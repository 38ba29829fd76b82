"""The last line has no line end and does not parse.

## Why it matters
A process that died while writing leaves half a record. Old readers refuse the whole file; others
skip the stub, and what it held (often a tool's result) is gone from the model's view. Claude Code
up to 2.1.197 then appends its next record to the stub and loses that one as well.

## Example
    {"type":"user","uuid":"…","message":{"role":"us

## Repair
Cut the stub; the journal keeps its bytes. Lossy.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Cut, Policy, Repair, Safety
from suture.validators._rule import Hit, Options, Rule, hit


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows("select * from damaged where kind = 'torn_tail'"):
        yield hit(row, f"last record is cut off after {row.length} bytes", anchor="tail")


def fix(finding: Finding, db: Database, policy: Policy) -> Repair:
    assert finding.place is not None
    return Repair("cut the half-written last record", (Cut(finding.place),), Safety.LOSSY)


RULE = Rule("101", "torn-tail", Severity.ERROR, check, fix)
