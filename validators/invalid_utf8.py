"""A record holds bytes that are not UTF-8.

## Why it matters
A legacy Codex rollout with one such byte does not resume: the reader stops with an I/O error. A
paginated one skips the line. Claude Code 2.1.197 goes on with a replacement character. In the
event log of OpenCode (W) nobody reads them again.

## Example
    {"type":"response_item","payload":{…"output":"caf<E9>"}}

## Repair
Bad bytes become U+FFFD, as many as readers make of them, so that a request stays the same; the
journal keeps the bytes. Lossy.
"""

from collections.abc import Mapping

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair, Replace, Safety
from suture.model.place import Span
from suture.validators._damage import is_damage, places, runs, texts
from suture.validators._rule import Rule


def fix(finding: Finding, db: Database, policy: Policy) -> Repair | None:
    place = finding.place
    if not isinstance(place, Span) or not finding.facts["fixable"]:
        return None
    at = places(finding)
    fills = dict(zip(at, texts(finding), strict=True))
    operations = tuple(
        Replace(Span(place.path, place.line, first, length), _joined(fills, first, length))
        for first, length in runs(at)
    )
    return Repair("replace the bytes that are not UTF-8", operations, Safety.LOSSY)


def _joined(fills: Mapping[int, str], first: int, length: int) -> bytes:
    return "".join(fills[place] for place in range(first, first + length)).encode()


RULE = Rule(
    "111",
    "invalid-utf8",
    Severity.ERROR,
    is_damage("invalid_utf8"),
    fix,
    needs=("damage:invalid_utf8",),
)
