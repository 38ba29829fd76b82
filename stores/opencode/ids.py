"""Ids of added rows: the client's form, made from what stands there, never from a clock."""

import re
from hashlib import sha256

_ID = re.compile(r"([a-z]+)_([0-9a-f]{12})([0-9A-Za-z]{14})")
_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_WRAP = 1 << 48  # milliseconds times 4096, and a counter: the number starts again every 795 days


def after(previous: str | None, prefix: str, ms: int, *about: object) -> str:
    """An id that sorts right after `previous`, or one of that time where there is none."""
    found = _ID.fullmatch(previous or "")
    number = int(found[2], 16) + 1 if found else ms * 4096 + 1
    if found is None and previous is not None:
        return f"{previous}0{_tail(about)}"  # no id of the client: only the order matters
    return f"{prefix}_{number % _WRAP:012x}{_tail(about)}"


def fresh_call(call_id: str, *about: object) -> str:
    prefix = call_id.partition("_")[0] if "_" in call_id else "call"
    return f"{prefix}_{sha256(repr((call_id, *about)).encode()).hexdigest()[:24]}"


def _tail(about: tuple[object, ...]) -> str:
    number = int.from_bytes(sha256(repr(about).encode()).digest()[:16], "big")
    digits = []
    for _ in range(14):
        number, digit = divmod(number, len(_DIGITS))
        digits.append(_DIGITS[digit])
    return "".join(digits)
