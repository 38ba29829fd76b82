"""What a rule reports."""

from collections.abc import Mapping
from enum import IntEnum
from hashlib import sha256

from msgspec import Struct, field

from suture.model.place import Place

Fact = str | int | bool | None | list[int] | list[str]


class Severity(IntEnum):
    INFO = 1  # worth knowing, nothing is lost
    WARN = 2  # history is at risk, or a reader will stumble
    ERROR = 3  # a resume fails, is refused, or forgets something

    @property
    def label(self) -> str:
        return self.name.lower()


class Finding(Struct, frozen=True):
    code: str
    rule: str
    severity: Severity
    session: str | None  # native id
    unit: str  # id of the unit that a repair would cover
    place: Place | None
    ids: tuple[str, ...]  # uuids, call ids, ordinals, in plain text
    message: str  # one lower-case sentence
    anchor: str  # native id, ordinal or call id: what stays when lines move
    facts: Mapping[str, Fact] = field(default_factory=dict)  # evidence, also what a fix needs

    @property
    def fingerprint(self) -> str:
        """Survives moved lines: neither line nor offset goes in."""
        text = "\n".join((self.code, self.session or "", self.anchor))
        return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:20]

    @property
    def has_session(self) -> bool:
        return "session" in self.facts
