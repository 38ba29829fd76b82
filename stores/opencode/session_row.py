"""The row of a session as the client takes it: with one value of another kind it loads nothing."""

from collections.abc import Iterator, Mapping
from typing import Any

from suture.stores.opencode.stored import Columns
from suture.stores.opencode.values import Fault, at, parsed

_NUMBERS = (
    *("cost", "tokens_input", "tokens_output", "tokens_reasoning", "tokens_cache_read"),
    *("tokens_cache_write", "summary_additions", "summary_deletions", "summary_files"),
    *("time_created", "time_compacting", "time_archived"),
)
# Column → what its JSON must be, and the keys in it that must be texts. Measured on 1.18.33.
_JSON: Mapping[str, tuple[type, str, tuple[str, ...]]] = {
    "summary_diffs": (list, "no list", ()),
    "permission": (list, "no list", ()),
    "metadata": (dict, "no object", ()),
    "revert": (dict, "no object with a message", ("messageID",)),
    "model": (dict, "no object with a name and a provider", ("id", "providerID")),
}
_PREFIX = "ses"


def faults(row: Columns) -> Iterator[tuple[str, Fault]]:
    for name in _JSON:
        stored: Any = row.get(name)
        if stored is None:
            continue
        value, fault = parsed(stored, name)
        if fault is not None:
            yield name, fault
        elif not fits(name, value):
            yield name, _refused(f"{name} is {_JSON[name][1]}")
    for name in _NUMBERS:
        if isinstance(row.get(name), str | bytes):
            yield name, _refused(f"{name} is no number")
    parent = row.get("parent_id")
    if parent is not None and not str(parent).startswith(_PREFIX):
        yield "parent_id", _refused("parent_id is no id of a session")


def lost_workspace() -> tuple[str, Fault]:
    return "workspace_id", _refused("workspace_id names a workspace that is absent")


def fits(name: str, value: Any) -> bool:
    """Whether the client takes this value of a JSON column."""
    kind, _, texts = _JSON[name]
    return value is None or (
        isinstance(value, kind) and all(isinstance(at(value, key), str) for key in texts)
    )


def _refused(detail: str) -> Fault:
    return Fault("bad_shape", f"{detail}, so the session cannot be loaded", True)
