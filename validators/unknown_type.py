"""Records of a type that suture does not know.

## Why it matters
They are most likely those of a newer client, and no damage: every byte of them is carried through.
What they mean for a resume is not judged. In Claude Code a record of an unknown type is no link of
the chain: what hangs on it is cut off above. Rollouts of Codex from mid-2025 hold their
items without an envelope: their bytes are judged, and today's Codex does not resume them.

## Example
    {"timestamp":"…","type":"holo_frame","payload":{…}}

## Repair
None.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Severity
from suture.validators._rule import Hit, Options, Rule, hit

_MOST_NAME = 60
_TYPES = """
select unit, session, session_id, store, variant, path, live, type, count(*) as records,
       min(n) as n, arg_min(line, n) as line, arg_min("offset", n) as "offset",
       arg_min(length, n) as length, arg_min("table", n) as "table", arg_min(key, n) as key
from (select * replace (case when store = 'unknown' then '' else type end as type)
      from located where kind = 'unknown')
group by all
order by session, min(n)
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_TYPES):
        count = "1 record" if row.records == 1 else f"{row.records} records"
        if row.store == "unknown":
            known = row.variant is not None
            form = "the form that Codex wrote in mid-2025" if known else "no known format"
            message = f"{count} of {form}: only the bytes were judged"
        elif row.type in ("", "unknown"):
            message = f"{count} without a type that can be read"
        else:
            message = f"{count} of the unknown type {row.type[:_MOST_NAME]!r}"
        yield hit(row, message, anchor=row.type or row.store)


RULE = Rule("901", "unknown-type", Severity.INFO, check, needs=("kind:unknown",))
