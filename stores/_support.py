"""What can be done with the sessions of each store, as `suture stores` and the README say it."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from suture.stores._store import Store

_USUAL = {
    "read": "yes",
    "check": "yes",
    "plan": "yes",
    "apply": "yes",
    "migrate source": "not yet",
    "migrate target": "not yet",
}


class Ability(NamedTuple):
    answer: str  # yes | partly | no | not yet
    remark: str  # what the answer leaves out, or nothing


def abilities(store: Store) -> Mapping[str, Ability]:
    said = {name: store.limits.get(name, usual) for name, usual in _USUAL.items()}
    return {name: _ability(text) for name, text in said.items()}


def _ability(text: str) -> Ability:
    answer, _, remark = text.partition(": ")
    return Ability(answer, remark)


def in_columns(stores: Iterable[Store]) -> str:
    """For a terminal: the answers as a table, the remarks below it."""
    rows = [("name", "media", *_USUAL)]
    remarks: dict[str, list[str]] = {}
    for store in stores:
        able = abilities(store)
        rows.append((store.name, ", ".join(store.media), *(one.answer for one in able.values())))
        for name, one in able.items():
            if one.remark:
                remarks.setdefault(f"{store.name}: {one.answer}, {one.remark}", []).append(name)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    for remark, names in remarks.items():
        store_name, _, words = remark.partition(": ")
        lines.append(f"{store_name}, {' and '.join(names)}: {words}")
    return "\n".join(lines)


def in_markdown(stores: Iterable[Store]) -> str:
    """The table of formats in the README."""
    heads = ("name", "store", "media", *_USUAL)
    lines = [_row(heads), "|" + "---|" * len(heads)]
    for store in stores:
        cells = [
            f"{one.answer}: {one.remark}".removesuffix(": ") for one in abilities(store).values()
        ]
        lines.append(_row((store.name, store.title, ", ".join(store.media), *cells)))
    return "\n".join(lines)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
