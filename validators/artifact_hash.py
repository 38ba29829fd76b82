"""A file of the store is not the one that the record describes.

## Why it matters
The record holds the SHA-256 of the file as it was stored. Another hash means that the file was
changed afterwards, cut off, or put in the place of the old one.

## Example
    {…"type":"artifact.stored","payload":{"uri":"artifacts/log.txt","sha256":"sha256:9f86…"}}
    and artifacts/log.txt hashes to 60303ae2…

## Repair
None, ever: suture does not change a hash to make a check pass.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Severity
from suture.validators._rule import Hit, Options, Rule, hit

_DIFFERENT = """
select l.*, a.ref, a.hash as said, a.computed as found
from artifact a join located l using (session, n)
where a.present and a.hash is not null and a.computed is not null and a.hash <> a.computed
  and l.copy_of is null
order by l.unit, l.session, l.n, a.ref
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_DIFFERENT):
        name = row.ref.rsplit("/", 1)[-1]
        yield hit(
            row,
            f"{name[:80]} hashes to {row.found[:12]}…, stored is {row.said[:12]}…",
            (row.id,),
            anchor=f"{row.id or row.ordinal} {name}",
        )


RULE = Rule("711", "artifact-hash", Severity.ERROR, check, needs=("artifact",))
