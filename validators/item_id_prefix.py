"""An item carries an id that the provider refuses.

## Why it matters
The Responses API wants item ids of its own making: `fc_…` for a function call, `rs_…` for
reasoning, and so on. Codex sends the stored id as it is; the answer is `invalid_id_prefix`, on
every turn. An item without an id is fine.

## Example
    {"type":"response_item","payload":{"type":"message","id":"review_rollout_user",…}}

## Repair
Take the id away and leave the item. Lossy: the id's bytes leave the store. No id is invented.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Rekey, Repair, Safety
from suture.validators._pairs import number, unsent
from suture.validators._rule import Hit, Options, Rule, hit


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(
        "select * from located where store = 'codex' and problem = 'item_id' "
        "order by unit, session, n"
    ):
        yield hit(
            row,
            f"item id is one that the provider refuses: {row.detail}{unsent(row.sent)}",
            (row.id,),
            anchor=row.id
            if row.id is not None
            else row.ordinal
            if row.ordinal is not None
            else row.n,
            n=row.n,
        )


def fix(finding: Finding, db: Database, policy: Policy) -> Repair:
    operation = Rekey(number(finding, "session"), number(finding, "n"))
    return Repair("take away the item id", (operation,), Safety.LOSSY)


RULE = Rule("314", "item-id-prefix", Severity.ERROR, check, fix, needs=("problem",))
