"""Findings that were there when a baseline was written: told as known, they fail nothing."""

from msgspec import Struct


class KnownFinding(Struct, frozen=True):
    fingerprint: str
    count: int  # findings that share the fingerprint
    code: str
    rule: str
    session: str | None
    path: str  # where it was then, for a person; matching goes by the fingerprint
    message: str
