"""A record does not hash to the hash that is stored with it.

## Why it matters
The payload was changed after it was written, or the hash was. Each event of the log also carries
a hash over itself and the one before: where that chain still holds, only the payload of this
record was touched; where it does not, its place, id, time or type is in doubt too.

## Example
    {"id":"e1","ordinal":3,…"payload":{"text":"changed"},"hash":"sha256:5e…","prev":…,"chain":…}

## Repair
None: a new hash would make the change look genuine. Compare with a backup.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Severity
from suture.validators._rule import Hit, Options, Rule, hit

# A later record's `prev` vouches for the chain hash of the record that it follows.
_MISMATCHES = """
with bad as (
    select * from located
    where hash <> computed or chain_hash <> chain_computed
)
select b.*, coalesce(b.hash <> b.computed, false) as payload_differs,
       coalesce(b.chain_hash <> b.chain_computed, false) as chain_differs,
       b.chain_hash is not null as has_chain, f.n is not null as followed
from bad b
left join (select distinct on (session, prev) session, prev, n from record
           where prev is not null) f on f.session = b.session and f.prev = b.chain_hash
order by b.unit, b.session, b.n
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_MISMATCHES):
        yield hit(
            row,
            _told(row.payload_differs, row.chain_differs, row.has_chain)
            if row.hash != "" and row.chain_hash != ""
            else "it has no hash, although the messages before it have one",
            (row.id,),
            anchor=row.id or f"ordinal {row.ordinal}",
            chain_holds=row.has_chain and not row.chain_differs,
            followed=row.followed,
            stored=row.hash,
            computed=row.computed,
        )


def _told(payload_differs: bool, chain_differs: bool, chained: bool) -> str:
    if not payload_differs:
        return "its chain hash does not fit id, place, time, type and the record before"
    if not chained:
        return "its payload does not fit its hash; no chain vouches for either"
    if chain_differs:
        return "its payload does not fit its hash, and its chain hash does not hold either"
    return "its payload does not fit its hash; the chain around it holds"


RULE = Rule("210", "hash-mismatch", Severity.ERROR, check, needs=("hash:odd",))
