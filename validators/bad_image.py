"""An image cannot be decoded, is empty, or is of another format than it says.

## Why it matters
The Messages API refuses the request on every turn: `image cannot be empty`, `Could not process
image`. Codex 0.171 puts a note in the place of an image that it cannot decode; earlier versions
send it, and a wrong media type stops the thread.

## Example
    {"type":"image","source":{"type":"base64","media_type":"image/png","data":""}}

## Repair
Put a short text in its place. The journal keeps the bytes. Lossy.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair
from suture.validators._odd import note_for_image, odd_parts, part_hit
from suture.validators._rule import Hit, Options, Rule


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in odd_parts(db, "bad_image"):
        yield part_hit(row, row.detail, row.call_id or row.id)


def fix(finding: Finding, db: Database, policy: Policy) -> Repair | None:
    return note_for_image(finding)


RULE = Rule("510", "bad-image", Severity.ERROR, check, fix, needs=("odd:bad_image",))
