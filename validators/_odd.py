"""What the rules about content share: odd parts of what is sent, and taking one out."""

from collections.abc import Iterator
from typing import Any

from suture.db import Database
from suture.model.finding import Fact, Finding, Severity
from suture.model.operation import Drop, DropPart, Operation, Repair, Replace, Safety
from suture.model.place import Span
from suture.validators._pairs import number
from suture.validators._rule import Hit, hit


def odd_parts(db: Database, kind: str) -> Iterator[Any]:
    """Odd parts of this kind that reach the model, in order."""
    yield from db.rows(
        "select * from odd where kind = ? and sent order by unit, session, n, part", kind
    )


def anchor(row: Any) -> str:
    name = row.id or row.call_id
    if name is None:
        name = row.n if row.ordinal is None else row.ordinal
    return f"{name} part {row.part}"


def part_hit(
    row: Any, message: str, *ids: str | None, severity: Severity | None = None, **facts: Fact
) -> Hit:
    return hit(
        row,
        message,
        ids or (row.id,),
        anchor=anchor(row),
        n=row.n,
        part=row.part,
        offset=row.odd_offset,
        length=row.odd_length,
        codex=row.store == "codex",
        severity=severity,
        **facts,
    )


def take_out(finding: Finding, title: str, safety: Safety = Safety.LOSSY) -> Repair:
    """The block goes, and with the last block its record."""
    session, n, part = (number(finding, name) for name in ("session", "n", "part"))
    operation: Operation = Drop(session, n) if part < 0 else DropPart(session, n, part)
    return Repair(title, (operation,), safety)


def note_for_image(finding: Finding) -> Repair | None:
    """A short text in the place of an image; the journal keeps its bytes."""
    place = finding.place
    if finding.facts["offset"] is None or not isinstance(place, Span):
        return None
    kind = b"input_text" if finding.facts["codex"] else b"text"
    text = (
        b"[suture] An image stood here that the provider refuses. It was taken out of the history."
    )
    after = b'{"type":"' + kind + b'","text":"' + text + b'"}'
    span = Span(place.path, place.line, number(finding, "offset"), number(finding, "length"))
    return Repair("put a note in the place of the image", (Replace(span, after),), Safety.LOSSY)
