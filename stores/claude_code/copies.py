"""Records that stand again: byte-equal, equal but for the envelope, or another payload."""

import json
from hashlib import sha256

from msgspec import UNSET, Raw
from msgspec.json import Decoder

from suture.stores.claude_code.kinds import blocks_of
from suture.stores.claude_code.lines import decode
from suture.stores.claude_code.view import Entry, Transcript

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
        self._unchained: dict[str, int] = {}  # holders that are no links, so not in `by_id`
        self._payloads: dict[str, dict[str, int]] = {}  # by uuid: payload → n
        self._first: dict[str, int] = {}  # of uuids that repeat

    def compare(self, entry: Entry) -> None:
        """Call before the entry goes into `by_id`."""
        uuid, entries = entry.uuid, self._found.entries
        assert uuid is not None
        before = self._found.by_id.get(uuid)
        if before is None and (before := self._unchained.get(uuid)) is None:
            if not entry.chained:
                self._unchained[uuid] = entry.n
            return
        first = self._first.setdefault(uuid, before)
        seen = self._payloads.get(uuid)
        if seen is None:
            seen = self._payloads[uuid] = {}
            self._remember(seen, entries[first])
        earlier = self._remember(seen, entry)
        if earlier is None:
            entry.same_id = first
        else:
            entry.copy_of = earlier
            same = self._bytes(entry) == self._bytes(entries[earlier])
            entry.copy_kind = "identical" if same else "envelope"

    def _remember(self, seen: dict[str, int], entry: Entry) -> int | None:
        """The earlier record with this payload; else the payload is noted."""
        digest = _payload_digest(self._bytes(entry))
        if digest in seen:
            return seen[digest]
        seen[digest] = entry.n
        return None

    def _bytes(self, entry: Entry) -> bytes:
        end = entry.offset + entry.length
        return bytes(self._found.data[entry.offset : end]).strip(b"\r\n\0")


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
    answered, again = set[str](), set[str]()
    for row in found.results:
        (again if row.call_id in answered else answered).add(row.call_id)
    if not again:
        return
    for index, row in enumerate(found.results):
        if row.call_id in again:
            digest = _digest(found, row.n, row.part)
            found.results[index] = row._replace(digest=digest)


def _digest(found: Transcript, n: int, part: int) -> str | None:
    entry = found.entries[n]
    try:
        line = decode(bytes(found.data[entry.offset : entry.offset + entry.length]))
    except ValueError:
        return None  # won from a damaged line
    content = blocks_of(line)[part].content
    return None if content is UNSET else sha256(memoryview(content)).hexdigest()[:16]
