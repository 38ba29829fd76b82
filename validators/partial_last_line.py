"""The last line is not finished, and the process that writes it is alive.

## Why it matters
This is no damage: a record of some megabytes takes more than one write. Looked at again a moment
later it is whole. Only when the writer is gone does the same line become `torn-tail`.

## Example
    {"type":"assistant","uuid":"…","message":{"content":[{"type":"te
    (pid 4711 has the file open for writing)

## Repair
None: suture never writes to a live session.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Severity
from suture.validators._damage import damage, damage_hit
from suture.validators._rule import Hit, Options, Rule

_PARTIAL = "kind = 'partial_last_line' or (kind = 'torn_tail' and live is not null)"


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in damage(db, _PARTIAL):
        yield damage_hit(row, f"last record is still being written, {row.length} bytes so far")


RULE = Rule("102", "partial-last-line", Severity.INFO, check, needs=("damage:partial_last_line",))
