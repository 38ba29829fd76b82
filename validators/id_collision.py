"""Two records share one id and differ in what they say.

## Why it matters
Loaders keep the records in a map by id, so the later one takes the place of the earlier: Claude
Code then shows the wrong text at that place of the chain, and the earlier record is gone.

## Example
    b  parent a   "note one"
    c  parent b
    b  parent c   "note two"

## Repair
The later holder gets a fresh id; what hangs on it by the order of the file follows. Content stays.
Lossy: the old id of the later record leaves the store. Codex items lose the id, they need none.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Rekey, Repair, Safety
from suture.validators._pairs import number
from suture.validators._rule import Hit, Options, Rule, hit

# A child belongs to the nearest holder before it.
_COLLISIONS = """
with holder as (
    select session, n, id,
           lead(n) over (partition by session, id order by n) as next_n
    from record h where copy_of is null and id is not null
        and exists (select 1 from record c
                    where c.session = h.session and c.id = h.id and c.same_id is not null)
),
follower as (
    select h.session, h.n, list(r.n order by r.n) as followers
    from holder h
    join record r on r.session = h.session and r.parent = h.id and r.chained
        and r.n > h.n and (h.next_n is null or r.n <= h.next_n)
    group by h.session, h.n
)
select l.*, first.line as first_line, f.followers
from located l
join record first on first.session = l.session and first.n = l.same_id
left join follower f on f.session = l.session and f.n = l.n
where l.same_id is not null and l.copy_of is null
order by l.unit, l.session, l.n
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_COLLISIONS):
        yield hit(
            row,
            "record has the id of an earlier one and says something else",
            (row.id,),
            n=row.n,
            followers=[int(n) for n in row.followers or ()],
            first_line=row.first_line,
        )


def fix(finding: Finding, db: Database, policy: Policy) -> Repair:
    followers = finding.facts["followers"]
    assert isinstance(followers, list)
    operation = Rekey(
        number(finding, "session"), number(finding, "n"), tuple(int(n) for n in followers)
    )
    return Repair("give the later record a fresh id", (operation,), Safety.LOSSY)


RULE = Rule("404", "id-collision", Severity.ERROR, check, fix, needs=("same_id",))
