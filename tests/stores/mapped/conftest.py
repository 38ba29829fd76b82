"""A service with tables of its own, and what suture says of them."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from suture import api
from suture.model.finding import Finding
from suture.model.operation import Policy
from suture.model.plan import Plan
from suture.model.scope import Scope, Wanted

NOW = 1_800_000_000_000_000


class Service:
    """One database and one mapping file in a folder."""

    def __init__(self, folder: Path, tables: str, mapping: str) -> None:
        self.folder = folder
        self.path, self.map = folder / "service.db", folder / "service.toml"
        self.run(tables)
        self.map.write_text(mapping, "utf-8")

    @property
    def scope(self) -> Scope:
        return Scope((str(self.path),), assume="dead", now=NOW, map_file=str(self.map))

    def run(self, script: str) -> None:
        with closing(sqlite3.connect(self.path)) as database:
            database.executescript(script)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(self.path)) as database:
            return database.execute(sql).fetchall()

    def dump(self) -> str:
        with closing(sqlite3.connect(self.path)) as database:
            return "\n".join(database.iterdump())

    def ask(self, query: str) -> list[tuple[object, ...]]:
        return api.ask(self.scope, query)[1]

    def findings(self) -> list[Finding]:
        found = (item.finding for item in api.check(self.scope, self.folder / "journal").findings)
        return [finding for finding in found if finding.severity.label != "info"]

    def found(self) -> list[str]:
        return [" ".join([finding.rule, *finding.ids]) for finding in self.findings()]

    def plan(self, policy: Policy = Policy.ANSWER) -> Plan:
        return api.plan(self.scope, Wanted(policy), self.folder / "plan.json")

    def reasons(self) -> list[str]:
        return [skip.reason for unit in self.plan().units for skip in unit.skipped]

    def apply(self) -> str:
        """Carry out the plan; returns the journal's id."""
        applied = api.apply(self.folder / "plan.json", self.folder / "journal")
        assert applied.exit_code == 0, applied.outcomes
        assert applied.journal is not None
        return applied.journal

    def undo(self, journal: str) -> None:
        api.undo(journal, self.folder / "journal")


@pytest.fixture
def service(tmp_path: Path) -> Callable[[str, str], Service]:
    return lambda tables, mapping: Service(tmp_path, tables, mapping)
