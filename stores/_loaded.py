"""A record as json.loads gives it, with what a typed decoder cannot see: keys and odd numbers."""

import json
from collections import Counter

from msgspec import Struct, field

MOST_TEXT = 64 << 20  # longer lines are never decoded to str
MOST_DIGITS = 4000  # Python refuses to convert more than 4,300


class Loaded(Struct, frozen=True):
    obj: object
    duplicates: list[str]  # dotted paths
    long_numbers: int


class _Notes(Struct):
    long_numbers: int = 0
    repeated: list[tuple[dict[str, object], list[str]]] = field(default_factory=list)

    def integer(self, digits: str) -> object:
        if len(digits) <= MOST_DIGITS:
            return int(digits)
        self.long_numbers += 1
        return digits

    def members(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        made = dict(pairs)
        if len(made) < len(pairs):
            counts = Counter(name for name, _ in pairs)
            self.repeated.append((made, [name for name, count in counts.items() if count > 1]))
        return made


def load(raw: bytes) -> Loaded:
    """Raises ValueError or RecursionError as json.loads does."""
    notes = _Notes()
    obj = json.loads(
        raw.decode("utf-8", "replace"),
        strict=False,
        parse_int=notes.integer,
        object_pairs_hook=notes.members,
    )
    return Loaded(obj, _paths(obj, notes), notes.long_numbers)


def duplicate_keys(raw: bytes) -> list[str]:
    """Dotted paths of the keys that stand twice in one object; the last one wins everywhere.

    Empty for what is too long to be decoded to str.
    """
    if len(raw) > MOST_TEXT:
        return []
    try:
        return load(raw).duplicates
    except (ValueError, RecursionError):
        return []


def _paths(obj: object, notes: _Notes) -> list[str]:
    """An object that another one of the same key hides has no path: its bare keys are named."""
    if not notes.repeated:
        return []
    wanted = {id(made): names for made, names in notes.repeated}
    found: list[str] = []
    todo: list[tuple[str, object]] = [("", obj)]
    while todo:
        path, value = todo.pop()
        if isinstance(value, dict):
            found += [path + name for name in wanted.pop(id(value), [])]
            todo += [(f"{path}{name}.", inner) for name, inner in value.items()]
        elif isinstance(value, list):
            todo += [(f"{path}{index}.", inner) for index, inner in enumerate(value)]
    return sorted(found) + sorted(name for names in wanted.values() for name in names)
