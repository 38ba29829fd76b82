"""What a rule is, and how a row of the tables becomes a finding."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Flag, IntEnum, auto
from typing import Any, cast

from msgspec import Struct, field

from suture.db import Database
from suture.model.finding import Fact, Finding, Severity
from suture.model.operation import Policy, Repair
from suture.model.place import Place, Row, Span


class Stage(IntEnum):
    """Repairs uncover findings: a plan takes them in this order, a round a stage."""

    BYTES = 1
    HEADER = 2
    ORDER = 3
    PAIRING = 4
    CHAIN = 5
    TAIL = 6
    PROJECTION = 7


class Options(Struct, frozen=True):
    """What a check depends on beside the store."""

    now: int  # UTC microseconds
    stale_after: int = 24 * 3600 * 1_000_000


class Hit(Struct, frozen=True):
    """One finding in the making; the rule's code, name and severity are added by `findings`."""

    unit: int
    session: int | None
    session_id: str | None
    place: Place | None
    message: str
    ids: tuple[str, ...]
    anchor: str
    severity: Severity | None = None
    facts: Mapping[str, Fact] = field(default_factory=dict)


def hit(
    row: Any,
    message: str,
    ids: Iterable[str | None] = (),
    *,
    anchor: object = None,
    severity: Severity | None = None,
    **facts: Fact,
) -> Hit:
    """A hit at a row that carries unit, session, session_id, path and line/offset/length or
    table/key. `anchor` defaults to the ids: what stays the same when lines move."""
    named = tuple(str(i) for i in ids if i is not None)
    return Hit(
        row.unit,
        row.session,
        row.session_id,
        place_of(row),
        message,
        named,
        str(anchor) if anchor is not None else " ".join(named),
        severity,
        {name: _told(fact) for name, fact in facts.items()},
    )


def _told(fact: Fact) -> Fact:
    """Rows of a database have no lines: a list of them says nothing."""
    if not isinstance(fact, list):
        return fact
    found: Any = [item for item in fact if item is not None]
    return cast(Fact, found)


def place_of(row: Any) -> Place | None:
    if getattr(row, "table", None) is not None:
        return Row(row.path, row.table, row.key)
    if row.path is None:
        return None
    return Span(row.path, row.line or 1, row.offset or 0, row.length or 0)


class Look(Flag):
    """What is asked: what a unit shows by itself, what several show together, or both."""

    INSIDE = auto()
    ACROSS = auto()
    ALL = INSIDE | ACROSS

    @property
    def inside(self) -> bool:
        return Look.INSIDE in self

    @property
    def across(self) -> bool:
        return Look.ACROSS in self


Check = Callable[[Database, Options], Iterator[Hit]]
Fix = Callable[[Finding, Database, Policy], Repair | None]


class Rule(Struct, frozen=True):
    """`check` looks and `fix` proposes; neither writes, prints or reads the clock."""

    code: str
    name: str
    severity: Severity
    check: Check
    fix: Fix | None = None
    stage: Stage | None = None
    # Asks nothing unless the tables hold one of these facts (db/facts.py); `a & b` means both.
    needs: tuple[str, ...] = ()
    # What only several units together show. It may look at sessions and their first headers: large
    # stores are judged some units at a time, and nothing else is kept of all.
    across: Check | None = None
    by_clock: bool = False  # a moment later it may say something else

    @property
    def order(self) -> Stage:
        if self.stage is not None:
            return self.stage
        family = {"1": Stage.BYTES, "2": Stage.ORDER, "3": Stage.PAIRING, "8": Stage.HEADER}
        return family.get(self.code[0], Stage.CHAIN if self.code[0] == "4" else Stage.TAIL)

    def findings(
        self, db: Database, options: Options, units: Mapping[int, str], look: Look
    ) -> Iterator[Finding]:
        if self.needs and not any(map(db.has, self.needs)):
            return
        looks = (self.check if look.inside else None, self.across if look.across else None)
        for found in (found for ask in looks if ask is not None for found in ask(db, options)):
            facts = dict(found.facts)
            if found.session is not None:
                facts["session"] = found.session
            yield Finding(
                self.code,
                self.name,
                found.severity or self.severity,
                found.session_id,
                units[found.unit],
                found.place,
                found.ids,
                found.message,
                found.anchor,
                facts,
            )
