"""What a checkpoint holds: in its own row, or the values of channels in rows beside it."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from suture.stores._tables import Record
from suture.stores.langgraph.blobs import Sealed, decode, is_snapshot
from suture.stores.langgraph.messages import has_messages
from suture.stores.langgraph.tables import Stored

REFUSALS = (ValueError, TypeError, RecursionError)
_EMPTY = "empty"  # the type of a channel that held nothing at a version


class State(Struct):
    time: str | None = None
    values: dict[str, Any] | None = None  # that lie in its own row
    versions: Mapping[str, str] = {}  # of the channels whose values lie in rows of their own
    sealed: str | None = None  # why it is not read
    problem: tuple[str, str] | None = None  # kind of damage, and words


def state(stored: Stored, row: Record) -> State:
    shared = stored.layout.shared
    try:
        found = decode("json" if shared else row["type"], row["checkpoint"])
    except REFUSALS as error:
        return State(problem=("bad_json", f"checkpoint: {error}"))
    if isinstance(found, Sealed):
        return State(sealed=found.why)
    return (_by_versions if shared else _whole)(found if isinstance(found, dict) else {})


def _whole(found: dict[str, Any]) -> State:
    values = found.get("channel_values")
    if not isinstance(values, dict):
        return State(problem=("bad_shape", "checkpoint: it holds no values of channels"))
    return State(_time(found), values)


def _by_versions(found: dict[str, Any]) -> State:
    values, versions = found.get("channel_values"), found.get("channel_versions")
    if not isinstance(versions, dict):
        return State(problem=("bad_shape", "checkpoint: it names no versions of channels"))
    # older versions are numbers, and the column is text
    named = {channel: str(version) for channel, version in versions.items()}
    return State(_time(found), values if isinstance(values, dict) else {}, named)


def _time(found: dict[str, Any]) -> str | None:
    time = found.get("ts")
    return time if isinstance(time, str) else None


class Blobs:
    """The values of channels in rows of their own, each decoded once."""

    def __init__(self, stored: Stored) -> None:
        self._rows = stored.blobs
        self.refused: list[tuple[Record, str]] = []
        self.sealed: dict[tuple[str, str], str] = {}
        said: set[str] = set()  # channels that hold messages
        differences: set[str] = set()  # channels that hold a value at some versions only
        for key, row in self._rows.items():
            if row["type"] == _EMPTY:
                continue
            try:
                value = decode(row["type"], row["blob"])
            except REFUSALS as error:
                self.refused.append((row, f"value of {key[0]!r}: {error}"))
                continue
            if isinstance(value, Sealed):
                self.sealed[key] = value.why
            elif is_snapshot(row["type"], row["blob"]):
                differences.add(key[0])
            elif has_messages(value):
                said.add(key[0])
        self._whole = said - differences

    def lost(self, found: State) -> Iterator[str]:
        """Channels of messages whose value is gone: a load leaves them out without a word. Of
        others nobody can tell whether they held a value: one that was consumed has no row."""
        for channel, version in found.versions.items():
            inline = channel in (found.values or {})
            if channel in self._whole and not inline and (channel, version) not in self._rows:
                yield f"the value of {channel!r} at version {version} is not there"

    def values(self, found: State) -> dict[str, Any]:
        """With those of its own row; what cannot be decoded is told elsewhere."""
        values = dict(found.values or {})
        for key in found.versions.items():
            row = self._rows.get(key)
            if row is None or row["type"] == _EMPTY:
                continue
            try:
                values[key[0]] = decode(row["type"], row["blob"])
            except REFUSALS:
                continue
        return values

    def why_sealed(self, found: State) -> str | None:
        reasons = (self.sealed.get(key) for key in found.versions.items())
        why = next((reason for reason in reasons if reason), None)
        return None if why is None else f"a value of its channels: {why}"
