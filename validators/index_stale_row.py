"""A row of a Codex home's index has no file, or says something else than the file.

## Why it matters
Codex 0.150 and 0.171 refuse to resume a thread whose row names an absent file or the file of
another thread, and one whose row says `legacy` of a paginated file. A row that names an earlier
segment resumes a history that was taken back. Codex 0.140 deletes rows whose file is absent.
A row that was made again has no name, though `session_index.jsonl` still has it: lists show none
(a note).

## Example
    threads: id 019c…, rollout_path …/sessions/2026/03/01/rollout-…-019c….jsonl
    the file stands in sessions/2026/03/02

## Repair
Set what is wrong by the file: path, folder, kind of history, a lost name. All else in the row
stays.
A row without any file is left as it is: the file may come back.
"""

import json
from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Rebuild, Repair, Safety
from suture.model.place import Row
from suture.validators._rule import Hit, Options, Rule, Stage, hit

_NAMELESS = "it has no name"  # all else is as it should be
_STALE = """
select l.*, k.key as what, k.value as said from state_kv k join located l using (session, n)
where k.scope = 'index' and k.key in ('stale row', 'no file') and l.live is null
order by l.unit, l.session, k.key, k.value
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_STALE):
        if row.what == "stale row":
            text = f"its row in the index contradicts it: {row.said}"
            anchor = f"{row.session_id} {row.said}"
            severity = Severity.INFO if row.said.startswith(_NAMELESS) else None
            yield hit(row, text, (row.session_id,), anchor=anchor, severity=severity)
            continue
        stated = json.loads(row.said)
        place = Row(
            stated["path"], "threads", json.dumps({"id": stated["id"]}, separators=(",", ":"))
        )
        text = "a row of the index has no file"
        yield Hit(row.unit, None, None, place, text, (stated["id"],), f"row {stated['id']}")


def fix(finding: Finding, db: Database, policy: Policy) -> Repair | None:
    if isinstance(finding.place, Row):
        return None
    session = int(str(finding.facts["session"]))
    return Repair("set its row of the index", (Rebuild(session, "index"),), Safety.SAFE)


RULE = Rule(
    "806", "index-stale-row", Severity.WARN, check, fix, Stage.PROJECTION, needs=("state:index",)
)
