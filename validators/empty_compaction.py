"""A compaction left nothing of a conversation, or its window has no rows.

## Why it matters
The model continues with an empty history, or with a summary that says nothing, although the log
holds the talk. Codex takes the replacement history of the last compaction as it is, even when it
is empty. laxcode does not open a session whose current window has no rows.

## Example
    {"type":"response_item",…"role":"user"…}
    {"type":"compacted","payload":{"message":"","replacement_history":[]}}

## Repair
None by default: what the model should remember of the earlier records is for a person to say. They
are all still there.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Severity
from suture.validators._damage import damage, damage_hit
from suture.validators._rule import Hit, Options, Rule, hit

_EMPTY = """
select l.*, c.talk_before from compaction c join located l using (session, n)
where c.kept = 0 and c.talk_before > 0 and l.store <> 'claude-code'
  and (c.version is null or c.version = (
        select context_version from session s where s.session = c.session))
order by l.unit, l.session, l.n
"""
_NEEDS = ("compaction:empty", "damage:empty_window")


def check(db: Database, options: Options) -> Iterator[Hit]:
    windows = damage(db, "kind = 'empty_window'")
    yield from map(damage_hit, windows)
    told = {row.session for row in windows}
    for row in (row for row in db.rows(_EMPTY) if row.session not in told):
        records = "record" if row.talk_before == 1 else "records"
        yield hit(
            row,
            f"nothing is left for the model of {row.talk_before} {records} of talk before it",
            (row.id,),
            anchor=row.id or f"compaction after {row.talk_before}",
            talk_before=row.talk_before,
        )


RULE = Rule("606", "empty-compaction", Severity.ERROR, check, needs=_NEEDS)
