"""Lines of an event log: the next ordinals, hashes and links of the chain."""

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from msgspec import Struct

from suture.stores.eventlog.hashing import canonical_of, chain_hash, digest


class NewEvent(Struct, frozen=True):
    type: str
    payload: Mapping[str, Any]
    ts: str  # RFC 3339, UTC, ending in Z
    id: str | None = None  # made from session, ordinal and type when not given


class Tail(Struct, frozen=True):
    """What the next line hangs on."""

    session: str
    ordinal: int = -1  # of the last event
    chain: str | None = None
    chained: bool = True  # whether lines carry `prev` and `chain`


def append_lines(events: Iterable[NewEvent], tail: Tail) -> bytes:
    """Raises NoCanonicalForm for a payload that cannot be hashed; nothing is written then."""
    lines = bytearray()
    prev, ordinal = tail.chain, tail.ordinal
    for event in events:
        ordinal += 1
        line, prev = _line(event, tail, ordinal, prev)
        lines += line
    return bytes(lines)


def _line(event: NewEvent, tail: Tail, ordinal: int, prev: str | None) -> tuple[bytes, str]:
    payload = canonical_of(event.payload)
    hashed = digest(payload)
    name = event.id or str(uuid5(NAMESPACE_URL, f"suture:{tail.session}:{ordinal}:{event.type}"))
    chain = chain_hash(prev, name, ordinal, event.ts, event.type, hashed)
    head = {"id": name, "ordinal": ordinal, "ts": event.ts, "type": event.type}
    foot: dict[str, Any] = {"hash": hashed}
    if tail.chained:
        foot |= {"prev": prev, "chain": chain}
    # canonical JSON of the parts, in the order in which a reader wants them
    members = [_member(key, value) for key, value in head.items()]
    members.append(b'"payload":' + payload)
    members += [_member(key, value) for key, value in foot.items()]
    return b"{" + b",".join(members) + b"}\n", chain


def _member(key: str, value: Any) -> bytes:
    return canonical_of(key) + b":" + canonical_of(value)
