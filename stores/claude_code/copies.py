"""Records that stand again: byte-equal, equal but for the envelope, or another payload."""

import json
from hashlib import sha256

from msgspec import UNSET, Raw
from msgspec.json import Decoder

from suture.stores.claude_code.kinds import blocks_of
from suture.stores.claude_code.lines import decode
from suture.stores.claude_code.view import Transcript

# What a client writes anew when it re-emits or forks a record; nothing of it reaches the model.
ENVELOPE = frozenset(
    {
        "agentId", "agentName", "cwd", "entrypoint", "forkedFrom", "gitBranch", "isSidechain",
        "logicalParentUuid", "parentUuid", "permissionMode", "promptId", "requestId", "sessionId",
        "session_id", "slug", "sourceToolAssistantUUID", "teamName", "timestamp", "userType",
        "version",
    }
)  # fmt: skip
_MOST_TEXT = 4 << 20  # of a longer line the members are compared as stored, not as values
_MEMBERS = Decoder(dict[str, Raw])


class Copies:
    """Remembers the payloads of records whose uuid was held before."""

    def __init__(self, found: Transcript) -> None:
        self._found = found
        self._payloads: dict[str, dict[str, int]] = {}  # by uuid: payload → n
        self._first: dict[str, int] = {}  # of uuids that repeat

    def compare(self, n: int, uuid: str, before: int) -> None:
        """`before` holds the id too."""
        records, first = self._found.records, self._first.setdefault(uuid, before)
        seen = self._payloads.get(uuid)
        if seen is None:
            seen = self._payloads[uuid] = {}
            self._remember(seen, first)
        earlier = self._remember(seen, n)
        if earlier is None:
            records.same_ids[n] = first
            return
        same = self._bytes(n) == self._bytes(earlier)
        records.copies[n] = (earlier, "identical" if same else "envelope")

    def _remember(self, seen: dict[str, int], n: int) -> int | None:
        """The earlier record with this payload; else the payload is noted."""
        digest = _payload_digest(self._bytes(n))
        if digest in seen:
            return seen[digest]
        seen[digest] = n
        return None

    def _bytes(self, n: int) -> bytes:
        return bytes(self._found.data[self._found.records.span(n)]).strip(b"\r\n\0")


def _payload_digest(line: bytes) -> str:
    if len(line) <= _MOST_TEXT:
        return sha256(_payload(line)).hexdigest()
    try:
        members = _MEMBERS.decode(line)
    except (ValueError, RecursionError):
        return sha256(line).hexdigest()
    digest = sha256()
    for key in sorted(members.keys() - ENVELOPE):
        digest.update(key.encode("utf-8", "replace"))
        digest.update(memoryview(members[key]))
    return digest.hexdigest()


def _payload(line: bytes) -> bytes:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return line
    if not isinstance(value, dict):
        return line
    kept = {key: item for key, item in value.items() if key not in ENVELOPE}
    return json.dumps(kept, sort_keys=True).encode()


def compare_answers(found: Transcript) -> None:
    """Digests for the results of calls that are answered more than once."""
    again = found.results.repeated("call_id")
    if not again:
        return
    for row in found.results:
        if row.call_id in again:
            digest = _digest(found, row.n, row.part)
            if digest is not None:
                found.digests[row.n, row.part] = digest


def _digest(found: Transcript, n: int, part: int) -> str | None:
    try:
        line = decode(bytes(found.data[found.records.span(n)]))
    except ValueError:
        return None  # won from a damaged line
    content = blocks_of(line)[part].content
    return None if content is UNSET else sha256(memoryview(content)).hexdigest()[:16]
