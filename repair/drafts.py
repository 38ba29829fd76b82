"""What a planner works on: a judge, a translator, the user's choice, and plans in the making."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import Protocol

from msgspec import Struct, field

from suture.model.edit import Edit
from suture.model.files import Files
from suture.model.finding import Finding
from suture.model.operation import Operation, Repair
from suture.model.plan import Skip, Step
from suture.model.unit import Unit


class Judgement(Protocol):
    """What one look at some units found, and what the rules propose."""

    def findings(self, unit: Unit) -> Sequence[Finding]: ...

    def propose(self, finding: Finding) -> Repair | None: ...

    def stage(self, finding: Finding) -> int: ...

    def forget(self) -> None:
        """No more repairs will be proposed."""


class Translation(Protocol):
    @property
    def edits(self) -> tuple[Edit, ...]: ...

    @property
    def cache_class(self) -> str: ...

    @property
    def doubt(self) -> str | None: ...


Judge = Callable[[Sequence[Unit], Files], Judgement]
Consequence = Callable[["Draft"], Repair | None]  # what all the steps together still ask for
Translate = Callable[[Unit, Files, Sequence[Operation]], Sequence[Translation]]
Refusals = Callable[[Unit, Files, Sequence[Sequence[Operation]]], Sequence[str | None]]


class Translator(Struct, frozen=True):
    together: Translate  # raises Unsupported
    alone: Refusals  # of each group by itself: why it cannot be done


class Choice(Struct, frozen=True):
    """What the user allows."""

    safe_only: bool = False
    take: Collection[str] = ()  # fingerprints of manual repairs to make
    skip: Collection[str] = ()  # fingerprints, names and codes of rules to leave alone

    def skips(self, finding: Finding) -> bool:
        return any(name in self.skip for name in (finding.fingerprint, finding.rule, finding.code))


class Draft(Struct):
    """The plan of one unit in the making."""

    unit: Unit
    steps: dict[int, Step] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)  # fingerprint → reason
    doubted: dict[str, str] = field(default_factory=dict)  # the same, of what --take still does
    made: Counter[str] = field(default_factory=Counter)
    told: dict[str, str] = field(default_factory=dict)  # fingerprint → what the first look said
    final: Sequence[Finding] = ()
    skipped: tuple[Skip, ...] = ()


class Proposal(Struct, frozen=True):
    findings: tuple[Finding, ...]
    repair: Repair
    stage: int
