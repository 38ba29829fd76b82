"""The rollouts that Codex wrote in mid-2025, which no store reads and Codex itself no more."""

from pathlib import PurePath

from msgspec import UNSET, DecodeError, Struct, UnsetType
from msgspec.json import Decoder

BARE = "bare items"
_MOST = 1 << 20  # bytes of a first line: instructions of a person stand in it


class _Header(Struct):
    """`id`, `timestamp`, `instructions`, often `git`; the items behind it have no envelope either,
    and `{"record_type":"state"}` stands between them (rollout writer of Codex, mid-2025)."""

    id: str
    timestamp: str
    instructions: str | None
    type: object | UnsetType = UNSET
    payload: object | UnsetType = UNSET


_decode = Decoder(_Header).decode


def is_bare_rollout(path: str, data: memoryview) -> bool:
    if not PurePath(path).name.startswith("rollout-"):
        return False
    try:
        header = _decode(bytes(data[:_MOST]).partition(b"\n")[0])
    except (DecodeError, UnicodeDecodeError):
        return False
    return header.type is UNSET and header.payload is UNSET
