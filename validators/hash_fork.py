"""Two records name the same predecessor.

## Why it matters
In a chain of hashes each record follows one other. Two that follow the same one were written by
two writers at once, or one of them was put in later: the log holds two histories from there on.

## Example
    {"id":"e4",…"prev":"sha256:77…"}
    {"id":"e4b",…"prev":"sha256:77…"}

## Repair
None: which of the two is the history is not for a tool to say.
"""

from collections.abc import Iterator
from typing import Any

from suture.db import Database
from suture.model.finding import Severity
from suture.validators._rule import Hit, Options, Rule, hit

# A record that stands again is told as a copy.
_FORKS = """
with linked as (
    select session, n, prev, first_value(n) over w as first_n, first_value(id) over w as first_id,
           first_value(line) over w as first_line, first_value(ordinal) over w as first_ordinal
    from record where prev is not null and copy_of is null
    window w as (partition by session, prev order by n)
)
select l.*, k.first_id, k.first_line, k.first_ordinal
from linked k join located l using (session, n)
where k.n > k.first_n
order by l.unit, l.session, l.n
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_FORKS):
        yield hit(
            row,
            f"it follows the same record as {_name(row)} does",
            (row.id, row.first_id),
            anchor=row.id or f"ordinal {row.ordinal}",
            first_line=row.first_line,
        )


def _name(row: Any) -> str:
    return f"message {row.first_ordinal}" if row.table else f"line {row.first_line}"


RULE = Rule("211", "hash-fork", Severity.WARN, check, needs=("prev:odd",))
