"""A record or a session file is larger than its client handles well.

## Why it matters
Claude Code was reported to hang on resume over lines of 1 to 12 MB, and to say "not found" or to
run out of memory over files of 100 to 568 MB; from 50 MB on it is slow. A Codex thread of 985 MB
was unusable, and usable again at 114 MB.

## Example
    session file of 214.0 MB: result 81 %, reply 9 %, prompt 4 %

## Repair
None: what can go is the user's choice. The shares say where the bytes are.
"""

from collections.abc import Iterator
from typing import Any

from suture.db import Database
from suture.model.finding import Severity
from suture.validators._rule import Hit, Options, Rule, hit

_MB = 1_000_000
# Sizes from which users reported trouble: claude-code issues 24118, 23948, 19963, 21022;
# codex issues 34863, 40111.
_MOST_RECORD = {"claude-code": _MB}
_MOST_FILE = {"claude-code": 50 * _MB, "codex": 100 * _MB}
_MOST_SHARES = 3

_RECORDS = """
select any_value(unit) as unit, session, any_value(session_id) as session_id,
       any_value(path) as path, count(*) as records, max(length) as length,
       arg_max(line, length) as line, arg_max("offset", length) as "offset",
       arg_max(id, length) as id, arg_max(kind, length) as kind
from located where store = ? and length > ?
group by session order by session
"""
_FILES = """
select s.unit, s.session, s.id as session_id, s.path, f.bytes, null as line, null as "offset",
       null as length
from session s join source f on s.unit = f.unit and s.path = f.path
where s.store = ? and f.bytes > ? order by s.session
"""
_SHARES = """
select kind, sum(length) / ? as share from record where session = ?
group by kind order by share desc, kind limit ?
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for store, most in _MOST_RECORD.items():
        for row in db.rows(_RECORDS, store, most):
            message = f"{_records(row.records)} over {most / _MB:.0f} MB, the largest a {row.kind} "
            yield hit(row, f"{message}of {row.length / _MB:.1f} MB", [row.id], anchor="record")
    for store, most in _MOST_FILE.items():
        for row in db.rows(_FILES, store, most):
            yield hit(
                row, f"session file of {row.bytes / _MB:.1f} MB: {_shares(db, row)}", anchor="file"
            )


def _records(count: int) -> str:
    return "1 record" if count == 1 else f"{count} records"


def _shares(db: Database, row: Any) -> str:
    rows = db.rows(_SHARES, row.bytes, row.session, _MOST_SHARES)
    return ", ".join(f"{kind.kind} {kind.share:.0%}" for kind in rows)


RULE = Rule("903", "large", Severity.INFO, check, needs=("record:long", "source:long"))
