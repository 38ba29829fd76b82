"""Edits as JSON and back."""

from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any

from suture.model.condition import SessionLoss, TableLoss
from suture.model.edit import (
    BytesEdit,
    Copy,
    DatabaseEdit,
    Edit,
    FileEdit,
    Part,
    RangeEdit,
    RowEdit,
    Shift,
    SpanEdit,
    Swap,
    TwinEdit,
    Value,
)
from suture.repair.codec import Json, bytes_from, bytes_json, value_from, value_json

INLINE = 4096  # bytes that go are shown up to this length, the digest stands for the rest

Before = Callable[[BytesEdit], bytes | memoryview]


def edit_json(edit: Edit, before: Before | None, no_content: bool) -> Json:
    match edit:
        case SpanEdit() | RangeEdit():
            return _span_json(edit, before, no_content)
        case RowEdit():
            return {
                "kind": "row",
                "path": edit.path,
                "table": edit.table,
                "key": _row_json(edit.key),
                "before": None if edit.before is None else _row_json(edit.before),
                "after": None if edit.after is None else _row_json(edit.after),
            }
        case DatabaseEdit():
            return {
                "kind": "database",
                "path": edit.path,
                "losses": [_loss_json(loss) for loss in edit.losses],
            }
        case FileEdit():
            digest = edit.before_sha256 or _digest(edit.before)
            shown = edit.before is not None and len(edit.before) <= INLINE and not no_content
            return {
                "kind": "file",
                "path": edit.path,
                "before_sha256": digest,
                "before": bytes_json(edit.before) if shown and edit.before is not None else None,
                "after": None if edit.after is None else bytes_json(edit.after),
            }
        case TwinEdit():
            after = [_part_json(part) for part in edit.after]
            return {"kind": "twin", "path": edit.path, "origin": edit.origin, "after": after}


def _span_json(edit: BytesEdit, before: Before | None, no_content: bool) -> Json:
    out: dict[str, Json] = {
        "kind": "bytes",
        "path": edit.path,
        "offset": edit.offset,
        "length": edit.length,
    }
    if before is None:
        out["before_sha256"] = edit.before_sha256
    else:
        data = before(edit)
        out["before_sha256"] = sha256(data).hexdigest()
        if len(data) <= INLINE and not no_content:
            out["before"] = bytes_json(bytes(data))
    out["after"] = [_part_json(part) for part in edit.after]
    return out


def _part_json(part: Part) -> Json:
    match part:
        case Copy(offset, length):
            return {"copy": [offset, length]}
        case Swap(offset, length, old, new, count):
            words: list[Json] = [bytes_json(old), bytes_json(new)]
            return {"swap": words, "count": count, "copy": [offset, length]}
        case Shift(offset, length, key, by, count, size):
            shift: Json = {"key": bytes_json(key), "by": by, "size": size}
            return {"shift": shift, "count": count, "copy": [offset, length]}
        case _:
            return bytes_json(part)


def _loss_json(loss: TableLoss) -> Json:
    return {
        "table": loss.table,
        "kept": loss.kept,
        "lost": loss.lost,
        "sessions": [
            {"session": one.session, "kept": one.kept, "lost": one.lost} for one in loss.sessions
        ],
    }


def _row_json(row: Mapping[str, Value]) -> dict[str, Json]:
    return {name: value_json(value) for name, value in row.items()}


def _digest(data: bytes | None) -> str | None:
    return None if data is None else sha256(data).hexdigest()


# From here on plain JSON is turned into values; the schema has said what is where.


def edit_from(edit: Any) -> Edit:
    match edit["kind"]:
        case "bytes":
            after = tuple(_part_from(part) for part in edit["after"])
            place = (edit["path"], edit["offset"], edit["length"])
            return _bytes_edit(place, after, edit["before_sha256"])
        case "row":
            before, after_row = edit["before"], edit["after"]
            return RowEdit(
                edit["path"],
                edit["table"],
                _row(edit["key"]),
                None if before is None else _row(before),
                None if after_row is None else _row(after_row),
            )
        case "twin":
            made = tuple(_part_from(part) for part in edit["after"])
            return TwinEdit(edit["path"], edit["origin"], made)
        case "database":
            return DatabaseEdit(edit["path"], tuple(_loss(loss) for loss in edit["losses"]))
        case _:
            before, after_bytes = edit["before"], edit["after"]
            return FileEdit(
                edit["path"],
                None if before is None else bytes_from(before),
                None if after_bytes is None else bytes_from(after_bytes),
                edit["before_sha256"],
            )


def _bytes_edit(
    place: tuple[str, int, int], after: tuple[Part, ...], before_sha256: str | None
) -> BytesEdit:
    if len(after) == 1 and isinstance(after[0], Swap | Shift):
        return RangeEdit(*place, after[0], before_sha256)
    plain = tuple(part for part in after if isinstance(part, bytes | Copy))
    if len(plain) < len(after):
        raise ValueError("a uniform change stands beside other bytes")
    return SpanEdit(*place, plain, before_sha256)


def _part_from(part: Any) -> Part:
    if "shift" in part:
        (offset, length), shift = part["copy"], part["shift"]
        key = bytes_from(shift["key"])
        return Shift(offset, length, key, shift["by"], part["count"], shift["size"])
    if "swap" in part:
        (offset, length), (old, new) = part["copy"], part["swap"]
        return Swap(offset, length, bytes_from(old), bytes_from(new), part["count"])
    return Copy(*part["copy"]) if "copy" in part else bytes_from(part)


def _loss(loss: Any) -> TableLoss:
    sessions = tuple(SessionLoss(**one) for one in loss["sessions"])
    return TableLoss(loss["table"], loss["kept"], loss["lost"], sessions)


def _row(row: Any) -> dict[str, Value]:
    return {name: value_from(value) for name, value in row.items()}
