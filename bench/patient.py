"""A session while faults are put into it, so that each of them can be found alone."""

from dataclasses import dataclass, field
from random import Random

from invent import Inventor
from sessions import Record, Role, Session, Tool


@dataclass(slots=True)
class Fault:
    kind: str
    record: Record
    id: str | None = None


@dataclass(slots=True)
class Patient:
    """A session while faults are put into it. No fault touches what another one has touched,
    nor the records beside it: each must be findable alone."""

    tool: Tool
    session: Session
    inventor: Inventor
    random: Random
    touched: set[Record] = field(default_factory=set)
    calls: set[str] = field(default_factory=set)

    @property
    def records(self) -> list[Record]:
        return self.session.records

    def candidates(self, role: Role) -> list[Record]:
        records = self.records
        near = {
            n + step
            for n, record in enumerate(records)
            if record in self.touched
            for step in (-1, 0, 1)
        }
        return [
            record
            for n, record in enumerate(records)
            if record.role == role
            and 3 < n < len(records) - 4
            and n not in near
            and record.call not in self.calls
        ]

    def choose(self, role: Role) -> Record | None:
        found = self.candidates(role)
        return self.random.choice(found) if found else None

    def partner(self, record: Record) -> Record:
        role = "call" if record.role == "result" else "result"
        return next(r for r in self.records if r.call == record.call and r.role == role)

    def bridge(self, gone: Record) -> None:
        """Hangs what hung off a removed record off its parent: only the pairing shall be broken."""
        uuid, parent = gone.fields.get("uuid"), gone.fields.get("parentUuid")
        if uuid is None:
            return
        for record in self.records:
            for key in ("parentUuid", "sourceToolAssistantUUID"):
                if record.fields.get(key) == uuid:
                    record.fields[key] = parent
