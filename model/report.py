"""What a check says: findings, and for each session what a resume will find."""

import re
from collections.abc import Mapping

from msgspec import Struct

from suture.model.baseline import KnownFinding
from suture.model.finding import Finding, Severity
from suture.model.unit import UNKNOWN

NO_SESSION = "no session that suture knows; only its bytes were judged"
_HARMLESS = re.compile(r"nothing is lost( to the model| in a small file)?([:;]|$)")


class Effect(Struct, frozen=True):
    """What a client does on resume with a session that has a finding of `rule`."""

    rule: str
    versions: str  # "2.1.197", ">=2.1.121", "<=0.153", "" for every version
    resumes: str  # yes | no | unknown
    legal: bool | None  # would the provider accept what it sends
    effect: str  # one lower-case sentence
    source: str  # "measured on claude code 2.1.197", "issue 45150"
    when: str = ""  # only for findings whose message has these words
    gap: bool = False  # what is sent lacks something that was said: signed thinking behind it
    # is refused by the models that bind it to all before
    noted: bool = False  # the finding is a note, and what is lost is told all the same
    file: str = ""  # only for findings of a file of this name, which sessions below its folder need

    @property
    def loses(self) -> bool:
        """False when the sentence says, without an if, that nothing is lost."""
        return _HARMLESS.match(self.effect) is None


class SourceState(Struct, frozen=True):
    path: str
    store: str
    bytes: int | None
    records: int | None
    live: str | None


class Resume(Struct, frozen=True):
    client: str | None
    version: str | None
    resumes: str  # yes | no | unknown
    loses: tuple[str, ...]


class SessionState(Struct, frozen=True):
    id: str
    path: str
    store: str
    tail: str  # clean | interrupted_prompt | interrupted_tool | half_written | user_abort | live
    legal: bool | None
    resume: Resume

    @property
    def is_of_a_client(self) -> bool:
        """Whether anything is known of who resumes it."""
        return self.store != UNKNOWN or self.resume.client is not None


class Reported(Struct, frozen=True):
    """A finding with what it means for the client that wrote the session."""

    finding: Finding
    on_resume: str | None
    repairs: tuple[str, ...]  # titles, with the safety in brackets
    known: bool = False  # it stands in the baseline

    @property
    def speaks(self) -> bool:
        """Not a note that may be left out: it is a fault, or something is lost on resume."""
        return self.finding.severity > Severity.INFO or self.on_resume is not None


class Unchanged(Struct, frozen=True):
    """A session that was not read again: nothing of it changed since a clean check."""

    id: str
    path: str
    store: str


class RulePage(Struct, frozen=True):
    code: str
    rule: str
    severity: Severity
    text: str  # Markdown; the first paragraph says what the rule finds


class Report(Struct, frozen=True):
    verdict: str  # clean | findings | damaged
    sources: tuple[SourceState, ...]
    sessions: tuple[SessionState, ...]
    findings: tuple[Reported, ...]
    notices: tuple[str, ...]  # skipped files, unfinished journals
    summary: Mapping[str, int]
    fail_on: Severity | None = Severity.ERROR  # None: nothing fails
    stale: tuple[KnownFinding, ...] = ()  # in the baseline and no longer found
    unchanged: tuple[Unchanged, ...] = ()

    def fails(self, item: Reported) -> bool:
        level = self.fail_on
        return level is not None and item.finding.severity >= level and not item.known

    @property
    def failed(self) -> bool:
        return any(self.fails(item) for item in self.findings)
