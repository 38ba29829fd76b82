"""Hashes: of a payload in canonical form, and of the chain that fixes the order of events."""

import json
import re
from hashlib import sha256
from typing import Any

import msgspec
import rfc8785

from suture.stores._jsonl import duplicate_keys

# What msgspec writes differs from the canonical form in three points only: floats, integers that a
# double cannot hold, and the order of keys outside the basic plane.
_DOUBT = re.compile(rb"\d{16}|[\xf0-\xf4]")
_LONG = re.compile(rb"\d{16}")


class NoCanonicalForm(ValueError):
    """RFC 8785 gives no form to this payload; the message says why."""

    key: str | None = None  # that stands twice in one object


def _refuse(digits: str) -> float:
    raise NoCanonicalForm(digits)


_plain = msgspec.json.Decoder(float_hook=_refuse).decode
_sorted = msgspec.json.Encoder(order="sorted").encode


def canonical(payload: bytes) -> bytes:
    """The RFC 8785 form of JSON text as stored. Raises NoCanonicalForm."""
    form = _quick(payload)
    if form is not None and form == payload:
        return form
    if names := duplicate_keys(payload):
        refusal = NoCanonicalForm(f"the key {names[0]} stands twice in one object")
        refusal.key = names[0]
        raise refusal
    return form if form is not None else canonical_of(_loaded(payload))


def _quick(payload: bytes) -> bytes | None:
    """Without floats and other doubts the fast encoder gives the canonical form."""
    try:
        form = _sorted(_plain(payload))
    except (ValueError, RecursionError):  # msgspec's errors and ours are ValueErrors
        return None
    return None if _DOUBT.search(form) else form


def canonical_of(value: Any) -> bytes:
    """The RFC 8785 form of a value. Raises NoCanonicalForm."""
    try:
        form = rfc8785.dumps(value)
        if _LONG.search(form):  # 2.0**53 becomes digits that the next reader takes for an integer
            rfc8785.dumps(json.loads(form))
        return form
    except rfc8785.IntegerDomainError as error:
        raise NoCanonicalForm("an integer is beyond 2^53 - 1") from error
    except rfc8785.FloatDomainError as error:
        raise NoCanonicalForm("a number is NaN or infinite") from error
    except rfc8785.CanonicalizationError as error:
        raise NoCanonicalForm("a text holds half of a UTF-16 pair, or a key is no text") from error
    except RecursionError as error:
        raise NoCanonicalForm("it is nested too deeply") from error


def _loaded(payload: bytes) -> Any:
    try:
        return json.loads(payload)
    except RecursionError as error:
        raise NoCanonicalForm("it is nested too deeply") from error
    except ValueError as error:
        raise NoCanonicalForm("it is not JSON, or a number has too many digits") from error


def digest(data: bytes) -> str:
    return f"sha256:{sha256(data).hexdigest()}"


def payload_hash(payload: bytes) -> str:
    return digest(canonical(payload))


def chain_hash(
    prev: str | None, event_id: str, ordinal: int, ts: str, kind: str, payload_digest: str
) -> str:
    """The first event of a session has no `prev`: its line of the text is empty."""
    text = "\n".join((prev or "", event_id, str(ordinal), ts, kind, payload_digest))
    return digest(text.encode("utf-8", "surrogatepass"))
