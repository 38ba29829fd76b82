"""A message stands for itself, or in a summary, twice in the current context window.

## Why it matters
The model reads it twice: once as it was said and once in a summary, or in two summaries. A call in
it then has two results or none, which a provider refuses.

## Example
    context_window_message: (version 2, seq 1, [1, 2, 3]) (version 2, seq 2, [3])

## Repair
Write the window anew under the next version: the earlier row keeps the message, a later row that
is left with none goes. The old version stays in the table. Lossy.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import NewWindow, Policy, Repair, Safety
from suture.validators._rule import Hit, Options, Rule, Stage, hit
from suture.validators._windows import ENTRIES, named_originals

_TWICE = """
twice as materialized (
    select session, seq, min(pos) as first_pos from named_original
    group by all having min(pos) < max(pos)
)
"""
_ANY = f"with {_TWICE} select 1 from twice limit 1"
_OVERLAPS = (
    f"{ENTRIES}, {_TWICE}"
    """,
later as (
    select n.session, n.version, n.pos, list(n.seq order by n.seq) as seqs,
           min(t.first_pos) as first_pos
    from twice t join named_original n using (session, seq)
    where n.pos > t.first_pos group by all
)
select e.*, o.seqs, o.first_pos from later o join entries e
    on e.session = o.session and e.pos = o.pos and e.version is not distinct from o.version
where e.current
order by e.unit, e.session, e.pos
"""
)


def check(db: Database, options: Options) -> Iterator[Hit]:
    named_originals(db)
    for row in db.rows(_OVERLAPS) if db.rows(_ANY) else ():
        what = f"message {row.seqs[0]}" if len(row.seqs) == 1 else f"{len(row.seqs)} messages"
        yield hit(
            row,
            f"{what} at {row.pos} of the window and at {row.first_pos} as well",
            anchor=f"window {row.version} at {row.pos}",
            version=row.version,
            first_pos=row.first_pos,
            seqs=row.seqs[:100],
        )


def fix(finding: Finding, db: Database, policy: Policy) -> Repair:
    operation = NewWindow(int(str(finding.facts["session"])))
    return Repair("write the window anew, each message once", (operation,), Safety.LOSSY)


RULE = Rule(
    "607",
    "window-overlap",
    Severity.ERROR,
    check,
    fix,
    Stage.PROJECTION,
    needs=("window",),
)
