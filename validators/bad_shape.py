"""A known field holds a value of another type than every client writes.

## Why it matters
Claude Code 2.1.197 does not load a session with a user message without content, a reply whose
content is a string or missing, an attachment line without its attachment, a null in a list of
blocks or anything else that is no block in that of a reply, or a last record without time; a text
without a block in a user's list is sent as it is, and the provider refuses it. 2.1.332 loads them
all. OpenCode 1.18.33 cannot send a session with a text without words or a picture without an
address, nor load one whose row holds a value of another type (E); it leaves out a part without a
type, and sends an output that is an object as an empty one. Codex 0.171 skips a line without a word
whose output is neither a text nor a list, whose message has no role, no list of content, an odd
phase or a block of a type that it does not know, whose reasoning has no summary, or that lacks a
key of its type, as a shell call without its status; with a call goes its output. A compaction
with such an item, or without its message, does not count: all that it stands for is sent. Other
fields are ignored or crash a viewer. Nothing can hang on a line of Claude Code without a uuid: of
several the last one is sent and the others are left out, and after one that a resume starts from
the next line is written without a parent, so that the resume after that loses the session. suture
reads such a field as absent. A window that laxcode refuses to open is an error.

## Example
    {"type":"user","uuid":{"a":1},"parentUuid":3,"message":"x"}

## Repair
Mostly none: the value that belongs there is not known. A record that holds nothing and keeps the
session from being loaded or sent is taken out: lossy, and so is an item that is no block. A reply
that is a text becomes a list with that one text, and a text without a block gets one: safe. A time
of Google ADK that is a number in a column of texts, or the other way round, is written in the shape
of the column: safe, the time is the same. A line without a uuid gets one: safe, unless the resume
would then start from it and leave what was said later (none).
"""

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from suture.db import Database
from suture.model.finding import Fact, Finding, Severity
from suture.model.operation import (
    Drop,
    Policy,
    Quarantine,
    Rekey,
    Repair,
    Replace,
    Safety,
    SetState,
)
from suture.model.place import Span
from suture.validators._damage import damage, damage_hit
from suture.validators._odd import odd_parts, part_hit
from suture.validators._pairs import number
from suture.validators._rule import Hit, Options, Rule, hit
from suture.validators._windows import REFUSED

_UNLOADABLE = ("unloadable", "text_for_list", "untimed_leaf")
_BARE = ("bare_text", "no_block")  # they say themselves what becomes of them
_NAMED_IN_REPAIR = ("unnamed", "unnamed_leaf")
_UNNAMED = (*_NAMED_IN_REPAIR, "unnamed_end", "unnamed_all")
_ODD = (*_UNLOADABLE, *_BARE, *_UNNAMED)
_NEEDS = ("damage:bad_shape", "problem", *(f"odd:{kind}" for kind in _ODD))
_UNNAMED_LINES = "select * from odd where kind = ? order by unit, session, n"
_RECORDS = "select * from located where problem = 'shape' order by session, n"


def check(db: Database, options: Options) -> Iterator[Hit]:
    records = {(row.session, row.n): row for row in db.rows(_RECORDS)}
    said: dict[tuple[object, ...], Hit] = {}
    for row in damage(db, "kind = 'bad_shape'"):
        record = records.pop((row.session, row.n), None)
        # Of one record the store's words, which come last, say more than the decoder's.
        key = (row.unit, row.path, row.offset, row.table, row.key, row.field if row.key else None)
        is_refused = row.refused or row.detail.endswith(REFUSED)
        found = damage_hit(row, _message(row, record), Severity.ERROR if is_refused else None)
        said[key] = _with_field(_with_facts(found, refused=True) if row.refused else found, row)
    for kind in (*_UNLOADABLE, *_BARE):
        for row in odd_parts(db, kind):
            records.pop((row.session, row.n), None)
            said.pop((row.unit, row.path, row.offset, row.table, row.key, None), None)
            message = row.detail
            if kind in _UNLOADABLE:
                message += "; some versions cannot load the session then"
            yield part_hit(row, message, unloadable=kind)
    for kind in _UNNAMED:
        for row in db.rows(_UNNAMED_LINES, kind):
            if (row.unit, row.path, row.offset, row.table, row.key, None) not in said:
                severity = None if row.sent and kind != "unnamed_leaf" else Severity.ERROR
                named = kind in _NAMED_IN_REPAIR
                yield part_hit(row, row.detail, severity=severity, unnamed=named)
    yield from said.values()
    for row in records.values():
        yield hit(
            row, row.detail or "a field of another type", [row.id], anchor=row.id or row.ordinal
        )


def _with_field(found: Hit, row: Any) -> Hit:
    if row.fill is None or row.key is None:
        return found
    return _with_facts(found, field=f"{row.field} of {row.key}")


def _with_facts(found: Hit, **more: Fact) -> Hit:
    return replace(found, facts={**found.facts, **more})


def _message(row: Any, record: Any) -> str:
    if record is not None and row.key is None:
        return str(record.detail)
    named = row.field is None or row.field.rsplit(".", 1)[-1] in row.detail
    return row.detail if named else f"{row.field}: {row.detail}"


def fix(finding: Finding, db: Database, policy: Policy) -> Repair | None:
    """Where the same value is known in the shape that belongs there, or nothing is lost with it."""
    if finding.facts.get("unloadable"):
        return _made_loadable(finding)
    if finding.facts.get("unnamed"):
        operation = Rekey(number(finding, "session"), number(finding, "n"), ())
        return Repair("give the record a uuid", (operation,), Safety.SAFE)
    if finding.facts.get("refused"):
        return _without_the_value(finding)
    field, fill = finding.facts.get("field"), finding.facts.get("fill")
    if field is None or fill is None or not finding.facts.get("fixable"):
        return None
    session = int(str(finding.facts["session"]))
    state = SetState(session, str(field), str(fill))
    return Repair("write the same value in the shape of the column", (state,), Safety.SAFE)


def _without_the_value(finding: Finding) -> Repair | None:
    if finding.place is None or not finding.facts.get("fixable"):
        return None
    operation = Quarantine(finding.place)
    return Repair("quarantine the value that the client refuses", (operation,), Safety.LOSSY)


def _made_loadable(finding: Finding) -> Repair | None:
    place, session = finding.place, number(finding, "session")
    match finding.facts["unloadable"]:
        case "unloadable":
            drop = (Drop(session, number(finding, "n")),)
            return Repair("take out the record that holds nothing", drop, Safety.LOSSY)
        case "text_for_list" if finding.facts["offset"] is not None and isinstance(place, Span):
            start = number(finding, "offset")
            end = start + number(finding, "length")
            around = (
                Replace(Span(place.path, place.line, start, 0), b'[{"type":"text","text":'),
                Replace(Span(place.path, place.line, end, 0), b"}]"),
            )
            return Repair("put the text into a list of blocks", around, Safety.SAFE)
        case "bare_text" if finding.facts["offset"] is not None and isinstance(place, Span):
            start = number(finding, "offset")
            end = start + number(finding, "length")
            around = (
                Replace(Span(place.path, place.line, start, 0), b'{"type":"text","text":'),
                Replace(Span(place.path, place.line, end, 0), b"}"),
            )
            return Repair("put the text into a block", around, Safety.SAFE)
        case "no_block" if finding.facts["offset"] is None:
            drop = (Drop(session, number(finding, "n")),)
            return Repair("take out the record that holds nothing", drop, Safety.LOSSY)
        case "no_block" if isinstance(place, Span):
            start, length = number(finding, "offset"), number(finding, "length")
            item = (Replace(Span(place.path, place.line, start, length), b""),)
            return Repair("take out what is no block", item, Safety.LOSSY)
    return None


RULE = Rule("110", "bad-shape", Severity.WARN, check, fix, needs=_NEEDS)
