"""Versions of clients as numbers. They are texts that a client wrote and damage may have changed:
one may have thousands of digits, which Python refuses to read as a number."""

import re

_DIGITS = 18


def numbers(version: str) -> tuple[int, ...]:
    """All numbers in it, whatever stands between them."""
    return tuple(int(part[:_DIGITS]) for part in re.findall(r"\d+", version))


def parts(version: str) -> tuple[int | None, ...]:
    """What stands between the dots; None for what is no number."""
    return tuple(int(p[:_DIGITS]) if p.isdecimal() else None for p in version.split("."))
