"""The last line has no line end and does not parse.

## Why it matters
A process that died while writing leaves half a record. Claude Code 2.1.197 resumes without it: of a
cut tool result the model sees neither the result nor its call; versions before 2.1.121 show a blank
session or refuse it. Claude Code appends its next record to the stub and loses that one as well.
Codex skips the stub; versions without ordinals append to it too.

## Example
    {"type":"user","uuid":"…","message":{"role":"us
    (end of file)

## Repair
Cut the stub; the journal keeps its bytes. Lossy.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Severity
from suture.validators._damage import cut, damage, damage_hit
from suture.validators._rule import Hit, Options, Rule


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in damage(db, "kind = 'torn_tail' and live is null"):
        yield damage_hit(row, f"last record is cut off after {row.length} bytes")


RULE = Rule(
    "101",
    "torn-tail",
    Severity.ERROR,
    check,
    cut("cut the half-written last record"),
    needs=("damage:torn_tail",),
)
