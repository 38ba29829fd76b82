"""A rollout continues from another one that is absent, or from a place that is not there.

## Why it matters
A fork or a later segment of a thread holds only its own records; what came before stands in the
base, up to a byte. Codex 0.171 cuts the base at that byte and checks nothing: where it is wrong,
the end of the history is lost, or records of a turn that was taken back leak in. Without the base
it does not resume: `missing source rollout`. A lone copy outside of a Codex home lacks its base
as a matter of course: that is a note.

## Example
    {"type":"session_meta","payload":{…"history_base":{"thread_id":"019c…","end_ordinal_exclusive":5,"end_byte_offset":900}}}
    byte 900 of the base is inside a line

## Repair
Where exactly one record of the base has the last ordinal, the offset is set to its end (lossy:
inferred from the ordinal). Else none.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair, Replace, Safety
from suture.model.place import Span
from suture.validators._pairs import number
from suture.validators._rule import Hit, Options, Rule, Stage, hit

_BROKEN = """
select * from odd where kind in ('broken_base', 'base_elsewhere') order by unit, session, n, detail
"""


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in db.rows(_BROKEN):
        yield hit(
            row,
            row.detail,
            (row.session_id,),
            anchor="base",
            severity=Severity.INFO if row.kind == "base_elsewhere" else None,
            offset=row.odd_offset,
            length=row.odd_length,
            end=row.limit,
        )


def fix(finding: Finding, db: Database, policy: Policy) -> Repair | None:
    facts, place = finding.facts, finding.place
    if facts["offset"] is None or facts["end"] is None or not isinstance(place, Span):
        return None
    length = number(finding, "length")
    after = str(facts["end"]).encode().rjust(length)  # as long as before wherever it fits
    span = Span(place.path, place.line, number(finding, "offset"), length)
    replace = Replace(span, after)
    return Repair("set the offset in the base by its ordinal", (replace,), Safety.LOSSY)


RULE = Rule(
    "413",
    "lineage-broken",
    Severity.ERROR,
    check,
    fix,
    Stage.ORDER,
    needs=("odd:broken_base", "odd:base_elsewhere"),
)
