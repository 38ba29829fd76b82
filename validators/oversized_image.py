"""An image is larger than the provider takes.

## Why it matters
The Messages API refuses an image of more than 5,242,880 bytes of base64, of more than 8,000 pixels
a side, and of more than 2,000 when a request holds more than 20 images. Claude Code refuses the
turn, then goes on without the image. The limits of each store, with their date and source, stand in
`limits.json` beside it.

## Example
    {"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0K… 5.3 MB"}}

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
    for row in odd_parts(db, "large_image"):
        yield part_hit(
            row, f"{row.detail} is sent, the provider takes {row.limit}", row.call_id or row.id
        )


def fix(finding: Finding, db: Database, policy: Policy) -> Repair | None:
    return note_for_image(finding)


RULE = Rule("509", "oversized-image", Severity.ERROR, check, fix, needs=("odd:large_image",))
