"""Rows about what was wrong inside a record that was won all the same."""

import re

from suture.model.rows import DamageRow
from suture.stores._line import Line, counted
from suture.stores._loaded import Loaded
from suture.stores._mend import MOST_PLACES, Mended, escape, replacements
from suture.stores._split_line import Range

_FIELD = re.compile(r" - at `\$\.?(.*)`$")  # how msgspec names the place of a wrong type


def shape_row(line: Line, place: Range, refusal: ValueError) -> DamageRow:
    text = str(refusal)
    named = _FIELD.search(text)
    where = named[1] if named else ""
    plain = _FIELD.sub("", text).replace("`", "")
    row = line.row("bad_shape", *place, plain[:1].lower() + plain[1:])
    return row._replace(field=where or None, fixable=False)


def fault_rows(line: Line, start: int, stop: int, mended: Mended) -> list[DamageRow]:
    rows: list[DamageRow] = []

    def note(kind: str, places: list[int], detail: str, fill: str | None, fix: bool = True) -> None:
        if places:
            row = line.row(kind, start, stop, detail)
            at = line.places(start, places[:MOST_PLACES])
            rows.append(row._replace(at=at, fill=fill, fixable=fix))

    _note_breaks(line, mended, start, rows)
    bad = mended.not_utf8
    many = "at least " if len(bad) >= MOST_PLACES else ""
    garbled = many + counted(len(bad), "byte is", "bytes are") + " not UTF-8"
    if bad:
        row = line.row("invalid_utf8", start, stop, garbled)
        fills = replacements(bytes(line.raw[start:stop]), bad)
        rows.append(row._replace(at=line.places(start, bad), fills=fills, fixable=not many))
    halves = counted(len(mended.halves), "escape is", "escapes are") + " half of a UTF-16 pair"
    note("lone_surrogate", mended.halves, halves, "\\ufffd")
    if mended.controls:
        rows.append(_control_row(line, start, stop, mended.controls))
    numbers = counted(len(mended.constants), "number is", "numbers are") + " NaN or Infinity"
    note("bad_number", mended.constants, numbers, None, False)
    return rows


def _note_breaks(line: Line, mended: Mended, start: int, rows: list[DamageRow]) -> None:
    if line.count == 1:
        return
    fills = dict.fromkeys(mended.gaps, " ") | dict.fromkeys(mended.breaks, "\\n")
    fills |= dict.fromkeys(mended.in_keys, "")
    at = sorted(fills)
    row = line.row("raw_newline", 0, len(line.raw), f"one record over {line.count} lines")
    rows.append(row._replace(at=line.places(start, at), fills=[fills[place] for place in at]))


def _control_row(line: Line, start: int, stop: int, places: list[int]) -> DamageRow:
    detail = counted(len(places), "raw control character", "raw control characters")
    row = line.row("bad_json", start, stop, f"{detail} in strings")
    some = places[:MOST_PLACES]
    fills = [escape(line.raw[start + place]).decode() for place in some]
    fixable = len(some) == len(places)
    return row._replace(at=line.places(start, some), fills=fills, fixable=fixable)


def loaded_rows(line: Line, place: Range, loaded: Loaded) -> list[DamageRow]:
    rows: list[DamageRow] = []
    if loaded.duplicates:
        names = ", ".join(loaded.duplicates[:5])
        row = line.row("duplicate_key", *place, f"stands twice, the last one wins: {names}"[:200])
        rows.append(row._replace(field=loaded.duplicates[0], fixable=False))
    if loaded.long_numbers:
        detail = counted(loaded.long_numbers, "integer is", "integers are") + " too long to convert"
        rows.append(line.row("bad_number", *place, detail)._replace(fixable=False))
    return rows
