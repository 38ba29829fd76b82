"""A database on a server, and what suture does with it."""

import os
from dataclasses import dataclass
from pathlib import Path

from running import Base

from suture import api
from suture.model.finding import Finding
from suture.model.place import Row
from suture.model.plan import Plan
from suture.model.scope import Scope, Wanted

ROOT = Path(__file__).parents[2]
CASES = ROOT / "tests" / "cases"
NOW = 1_800_000_000_000_000
ORPHANS = {
    "laxcode": "orphan-call-tail/laxcode-answer",
    "adk": "orphan-call-tail/adk",
    "agents": "orphan-call-tail/agents",
}
HEADS = {"laxcode": "session", "adk": "sessions", "agents": "agent_sessions"}


@dataclass
class Desk:
    base: Base
    folder: Path
    mapping: str | None = None

    @property
    def scope(self) -> Scope:
        return Scope((self.base.url,), now=NOW, map_file=self.mapping)

    @property
    def journal(self) -> Path:
        return self.folder / "journal"

    @property
    def plan_file(self) -> Path:
        return self.folder / "plan.json"

    def plan(self, wanted: Wanted | None = None) -> Plan:
        return api.plan(self.scope, wanted or Wanted(), self.plan_file)

    def apply(self) -> api.Applied:
        return api.apply(self.plan_file, self.journal)

    def found(self) -> list[Finding]:
        return [item.finding for item in api.check(self.scope, self.journal).findings]

    def notices(self) -> tuple[str, ...]:
        return api.check(self.scope, self.journal).notices

    def last(self) -> str:
        return api.journal_entries(self.journal)[-1].id

    def client_writes(self) -> None:
        """As a client of the store does while nobody repairs it."""
        if self.base.tables == "laxcode":
            self.base.run("update session set next_msg_seq = next_msg_seq + 1")
        elif self.base.tables == "agents":
            self.base.run("update agent_sessions set updated_at = '2026-03-02 10:00:00'")
        else:
            self.base.run("update sessions set update_time = '2026-03-02 10:00:00'")


def filled(base: Base, case: str, folder: Path) -> Desk:
    base.fill(CASES / case / "before" / "sessions.db.sql")
    return Desk(base, folder)


def told(finding: Finding) -> str:
    place = (
        f" {finding.place.table} {finding.place.key}" if isinstance(finding.place, Row) else ":1"
    )
    return " ".join([place, finding.severity.label, finding.rule, *finding.ids])


def environment(desk: Desk) -> dict[str, str]:
    return {
        **os.environ,
        "PYTHONPATH": str(ROOT / "src"),
        "PYTHONSAFEPATH": "1",
        "SUTURE_JOURNAL": str(desk.journal),
        "SUTURE_DATABASE_URL": desk.base.url,
    }
