"""One or more records stand in the file a second time.

## Why it matters
A client that wrote a block twice (a retried flush, two processes, a restored backup) makes the
model read it twice, and calls in it are answered twice. In Claude Code up to 2.1.197 copies at the
end of a file hide the answers that came between; Codex sends both. Records are copies if all
bytes are equal, or all but the envelope: times, parent, client version and the like. A text of an
answer that Claude Code stored again under another uuid is a note: it is sent twice, which is legal.

## Example
    {"type":"user","uuid":"90a3…",…}
    {"type":"assistant","uuid":"abd8…",…}
    {"type":"user","uuid":"90a3…",…}

## Repair
Drop the later copies; the first ones stay where they are. Lossy.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair
from suture.validators._copies import copies, drop_copies
from suture.validators._odd import odd_parts, part_hit
from suture.validators._rule import Hit, Options, Rule, hit


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in copies(db, "identical", "envelope"):
        what = "a record stands" if row.records == 1 else f"{row.records} records stand"
        how = "byte for byte" if row.identical else "with another envelope"
        named = row.ids if any(row.ids) else []
        yield hit(
            row,
            f"{what} again, {how}; first at line {row.copies_of[0]}",
            named,
            anchor=" ".join(filter(None, named)) or f"copy of ordinal {row.ordinal}",
            n=row.n,
            records=row.records,
            lines=row.lines[:100],
            copies_of=row.copies_of[:100],
            identical=row.identical,
        )
    for row in odd_parts(db, "said_again") if db.has("odd:said_again") else ():
        yield part_hit(row, row.detail, severity=Severity.INFO, again=True)


def fix(finding: Finding, db: Database, policy: Policy) -> Repair | None:
    return None if finding.facts.get("again") else drop_copies(finding, db, policy)


_NEEDS = ("copy:identical", "copy:envelope", "odd:said_again")
RULE = Rule("213", "dup-block", Severity.ERROR, check, fix, needs=_NEEDS)
