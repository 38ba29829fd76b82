"""A row of a Codex home's index has no file, or says something else than the file.

## Why it matters
Codex 0.150 and 0.171 refuse to resume a thread whose row names an absent file or the file of
another thread, and one whose row says `legacy` of a paginated file. A row that names an earlier
segment resumes a history that was taken back. Codex 0.140 deletes rows whose file is absent.

## Example
    threads: id 019c…, rollout_path …/sessions/2026/03/01/rollout-…-019c….jsonl
    the file stands in sessions/2026/03/02

## Repair
None yet; suture never deletes a row: the name of a thread stands nowhere else.
"""

import json
from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Severity
from suture.model.place import Row
from suture.validators._rule import Hit, Options, Rule, hit

_STALE = """
select l.*, k.key as what, k.value as said from state_kv k join located l using (session, n)
where k.scope = 'index' and k.key in ('stale row', 'no file') and l.live is null
order by l.unit, l.session, k.key, k.value
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_STALE):
        if row.what == "stale row":
            text = f"its row in the index contradicts it: {row.said}"
            yield hit(row, text, (row.session_id,), anchor=f"{row.session_id} {row.said}")
            continue
        stated = json.loads(row.said)
        place = Row(
            stated["path"], "threads", json.dumps({"id": stated["id"]}, separators=(",", ":"))
        )
        text = "a row of the index has no file"
        yield Hit(row.unit, None, None, place, text, (stated["id"],), f"row {stated['id']}")


RULE = Rule("806", "index-stale-row", Severity.WARN, check, needs=("state:index",))
