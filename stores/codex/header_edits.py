"""The header of a rollout: made again where it is lost, completed, or put first."""

from typing import Any

from suture.model.edit import Edit, SpanEdit
from suture.model.errors import Unsupported
from suture.model.files import Files
from suture.model.operation import Rebuild, Renumber
from suture.stores._json_span import span
from suture.stores._store import Translated
from suture.stores.codex import compose
from suture.stores.codex.clock import micros, stamp
from suture.stores.codex.header import Key
from suture.stores.codex.lost_base import Lost, LostBase, lost_base
from suture.stores.codex.names import rollout_name
from suture.stores.codex.records import Record
from suture.stores.codex.reordered import renumber
from suture.stores.codex.target import Target
from suture.stores.codex.vocabulary import REMOVED

_PASSED_OVER = ("unknown", "scalar")
_BOM = b"\xef\xbb\xbf"


def made_again(target: Target, operation: Rebuild, files: Files) -> Translated:
    if target.rollout.header.payload.id:
        return _completed(target)
    name = rollout_name(target.path)
    if name is None:
        raise Unsupported("the file name does not tell the id of the thread")
    target.moves(0)
    taken_out = _placeholder(target)
    if taken_out is None:
        ordinal, edits = _ordinal(target, operation.session)
    else:
        ordinal, edits = taken_out.ordinal, ()
    meta, lost = _meta(target), None
    if target.paginated and target.rollout.header.n is None:
        lost = lost_base(target.path, files)
    if lost is not None and lost.base is not None:
        ordinal = lost.begins
        meta |= _continued(lost, lost.base)
    first = next((r.time for r in target.records if r.time), micros(name.time))
    text = compose.line(first, ordinal, "session_meta", meta, {"rule": "header-rebuilt"})
    at, end = (0, 0) if taken_out is None else (taken_out.offset, target.after_line(taken_out))
    return Translated((SpanEdit(target.path, at, end - at, (text,)), *edits), "envelope")


def _placeholder(target: Target) -> Record | None:
    """The record that stands for the first line, where that was taken out: it was the header."""
    first = target.records[0] if target.records else None
    return first if first is not None and first.type == REMOVED else None


def _continued(lost: Lost, base: LostBase) -> dict[str, Any]:
    told: dict[str, Any] = {}
    if base.thread != lost.name.thread:
        told |= {"forked_from_id": base.thread, "forked_from_ordinal_exclusive": lost.begins}
    place = {"end_ordinal_exclusive": lost.begins, "end_byte_offset": base.end}
    return told | {"history_base": {"thread_id": base.rollout, **place}}


def _completed(target: Target) -> Translated:
    """What a client needs is written into the header; every other byte of it stays."""
    header = target.rollout.header
    if header.n is None or not header.gaps:
        raise Unsupported("the rollout has a header")
    record = target.record(header.n)
    raw = target.raw(record)
    edits: list[SpanEdit] = []
    for path in header.gaps:
        value, found = compose.dumps(_needed(target, path)), span(raw, path)
        if found is None:
            holder = span(raw, path[:-1])
            assert holder is not None
            first, stop = holder[0] + 1, holder[0] + 1
            value = compose.dumps(path[-1]) + b":" + value + b","
        else:
            first, stop = found
        edits.append(SpanEdit(target.path, record.offset + first, stop - first, (value,)))
    if span(raw, ("suture",)) is None:
        mark = compose.dumps({"rule": "header-rebuilt", "keys": [p[-1] for p in header.gaps]})
        edits.append(
            SpanEdit(target.path, record.offset + len(raw) - 1, 0, (b',"suture":' + mark,))
        )
    target.moves(record.offset)
    edits.sort(key=lambda edit: edit.offset)
    return Translated(tuple(edits), "envelope")


def made_first(target: Target) -> Translated:
    """The header becomes the first line that is not blank."""
    n = target.rollout.header.n
    if n is None or target.rollout.hides_header is None:
        raise Unsupported("nothing stands before the header")
    before = bytes(target.data[: target.record(n).offset])
    if n > 0:
        return _taken_behind(target, target.record(n), before)
    blanks = bytes(0x0A if byte == 0x0A else 0x20 for byte in before)
    return Translated((SpanEdit(target.path, 0, len(before), (blanks,)),), "envelope")


def _taken_behind(target: Target, header: Record, before: bytes) -> Translated:
    """A client passes over a record of a type that it does not know, where it is not the first."""
    if any(record.kind not in _PASSED_OVER for record in target.records[: header.n]):
        raise Unsupported(
            "the records before the header may belong behind it, or to another thread"
        )
    end = target.after_line(header)
    line = bytes(target.data[header.offset : end])
    if not line.endswith(b"\n") or not before.endswith(b"\n") or before.startswith(_BOM):
        raise Unsupported("the header and what stands before it are not whole lines")
    return Translated((SpanEdit(target.path, 0, end, (line + before,)),), "envelope")


def _needed(target: Target, path: Key) -> str | None:
    meta = target.rollout.header.payload
    if path == ("timestamp",):
        times = (record.time for record in target.records if record.time is not None)
        return stamp(next(times, 0))
    match path[-1]:
        case "session_id":
            return meta.id
        case "history_mode":
            return "paginated" if target.paginated else "legacy"
        case "model_provider":
            return None
        case key:
            made: str = _meta(target)[key]
            return made


def _ordinal(target: Target, session: int) -> tuple[int | None, tuple[Edit, ...]]:
    """The one before the first; where 0 is taken every record gets the next one."""
    if not target.paginated:
        return None, ()
    first = min(target.ordinals, default=1)
    if first > 0:
        return first - 1, ()
    return 0, renumber(target, Renumber(session, 0, 1), bytearray(len(target.records))).edits


def _meta(target: Target) -> dict[str, Any]:
    name = rollout_name(target.path)
    meta: dict[str, Any] = {
        "id": name.thread if name else target.rollout.header.payload.id,
        "timestamp": name.time if name else stamp(0),
        "cwd": target.rollout.cwd or "/",
        "originator": "suture",
        "cli_version": "0.0.0",
        "source": "unknown",
    }
    if target.paginated:
        meta["history_mode"] = "paginated"
    return meta
