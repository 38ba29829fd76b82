"""Records of a type that suture does not know, or parts of a message.

## Why it matters
They are most likely those of a newer client, and no damage: every byte of them is carried through.
What they mean for a resume is not judged. Crush does not load a session with a part of a type that
its release does not know: an older release after a newer one. In Claude Code a record of an unknown
type is no link of the chain: what hangs on it is cut off above. Rollouts of Codex from mid-2025
hold their items without an envelope: their bytes are judged, and today's Codex does not resume
them.

## Example
    {"timestamp":"…","type":"holo_frame","payload":{…}}

## Repair
None.
"""

from collections.abc import Iterator
from typing import Any

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
_PARTS = """
select unit, session, session_id, store, path, detail as type, count(*) as records,
       arg_min("table", n) as "table", arg_min(key, n) as key
from odd where kind = 'unknown_type'
group by all order by session, min(n)
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    yield from _records(db)
    for row in db.rows(_PARTS) if db.has("odd:unknown_type") else ():
        message = f"{_counted(row, 'part')} of the unknown type {row.type[:_MOST_NAME]!r}"
        yield hit(row, message, anchor=f"part {row.type}")


def _counted(row: Any, what: str) -> str:
    return f"1 {what}" if row.records == 1 else f"{row.records} {what}s"


def _records(db: Database) -> Iterator[Hit]:
    for row in db.rows(_TYPES) if db.has("kind:unknown") else ():
        count = _counted(row, "record")
        if row.store == "unknown":
            known = row.variant is not None
            form = "the form that Codex wrote in mid-2025" if known else "no known format"
            message = f"{count} of {form}: only the bytes were judged"
        elif row.type in ("", "unknown"):
            message = f"{count} without a type that can be read"
        else:
            message = f"{count} of the unknown type {row.type[:_MOST_NAME]!r}"
        yield hit(row, message, anchor=row.type or row.store)


_NEEDS = ("kind:unknown", "odd:unknown_type")
RULE = Rule("901", "unknown-type", Severity.INFO, check, needs=_NEEDS)
