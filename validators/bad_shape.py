"""A known field holds a value of another type than every client writes.

## Why it matters
Claude Code 2.1.197 does not load a session with a user message whose content is null, or a reply
whose content is a string or missing; 2.1.332 loads them. Other fields are ignored or crash a
viewer. suture reads such a field as absent.

## Example
    {"type":"user","uuid":{"a":1},"parentUuid":3,"message":"x"}

## Repair
None: the value that belongs there is not known. A time of Google ADK that is a number in a column
of texts, or the other way round, is written in the shape of the column: safe, the time is the same.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from suture.db import Database
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Repair, Safety, SetState
from suture.validators._damage import damage, damage_hit
from suture.validators._rule import Hit, Options, Rule, hit

_RECORDS = "select * from located where problem = 'shape' order by session, n"


def check(db: Database, options: Options) -> Iterator[Hit]:
    records = {(row.session, row.n): row for row in db.rows(_RECORDS)}
    said: dict[tuple[object, ...], Hit] = {}
    for row in damage(db, "kind = 'bad_shape'"):
        record = records.pop((row.session, row.n), None)
        # Of one record the store's words, which come last, say more than the decoder's.
        key = (row.unit, row.path, row.offset, row.table, row.key, row.field if row.key else None)
        said[key] = _with_field(damage_hit(row, _message(row, record)), row)
    yield from said.values()
    for row in records.values():
        yield hit(
            row, row.detail or "a field of another type", [row.id], anchor=row.id or row.ordinal
        )


def _with_field(found: Hit, row: Any) -> Hit:
    if row.fill is None or row.key is None:
        return found
    return replace(found, facts={**found.facts, "field": f"{row.field} of {row.key}"})


def _message(row: Any, record: Any) -> str:
    if record is not None and row.key is None:
        return str(record.detail)
    named = row.field is None or row.field.rsplit(".", 1)[-1] in row.detail
    return row.detail if named else f"{row.field}: {row.detail}"


def fix(finding: Finding, db: Database, policy: Policy) -> Repair | None:
    """Where the store knows the same value in the shape that belongs there."""
    field, fill = finding.facts.get("field"), finding.facts.get("fill")
    if field is None or fill is None or not finding.facts.get("fixable"):
        return None
    session = int(str(finding.facts["session"]))
    operation = SetState(session, str(field), str(fill))
    return Repair("write the same value in the shape of the column", (operation,), Safety.SAFE)


RULE = Rule("110", "bad-shape", Severity.WARN, check, fix, needs=("damage:bad_shape", "problem"))
