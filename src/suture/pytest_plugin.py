"""`pytest --suture fixtures/`: each stored session is a test that fails by its findings."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from suture.model.text import printable

if TYPE_CHECKING:  # pytest loads this plugin at every start, and DuckDB costs 200 ms
    from suture.exporters.cases import Case
    from suture.model.report import Report

_SUFFIXES = (".jsonl", ".jsonl.zst", ".db", ".sqlite", ".sqlite3")
_JUDGED = pytest.StashKey["Judged"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("suture").addoption(
        "--suture",
        action="store_true",
        help="Check stored agent sessions below the given paths, a test each.",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    config = session.config
    if config.getoption("suture"):
        # A node id names a file and what stands in it.
        config.stash[_JUDGED] = _judge([arg.split("::", 1)[0] for arg in config.args])


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> "SessionFile | None":
    judged = parent.config.stash.get(_JUDGED, None)
    if judged is None or not judged.of(file_path):
        return None
    file: SessionFile = SessionFile.from_parent(parent, path=file_path)
    return file


class Judged:
    """One check of all that was typed: units and what spans them need to be seen together."""

    def __init__(self, report: "Report", cases: Sequence["Case"]) -> None:
        self.report = report
        self._cases: dict[Path, list[Case]] = {}
        for case in cases:
            self._cases.setdefault(Path(case.path).resolve(), []).append(case)

    def of(self, path: Path) -> Sequence["Case"]:
        return self._cases.get(path.resolve(), ())


def _judge(typed: Sequence[str]) -> Judged:
    from suture import api  # noqa: PLC0415 (see above)
    from suture.exporters.cases import cases  # noqa: PLC0415
    from suture.model.errors import SutureError  # noqa: PLC0415
    from suture.model.scope import Scope  # noqa: PLC0415

    paths = tuple(path for path in typed if Path(path).is_dir() or path.endswith(_SUFFIXES))
    try:
        settings = api.settings(api.Layer(allow_empty=True))
        report = api.check(Scope(paths, side_effects=api.side_effects()), settings=settings)
    except SutureError as error:
        raise pytest.UsageError(f"suture: {error}") from error
    return Judged(report, cases(report))


class SessionFile(pytest.File):
    def collect(self) -> Iterator["SessionItem"]:
        judged = self.config.stash[_JUDGED]
        for case in judged.of(self.path):
            item: SessionItem = SessionItem.from_parent(self, name=printable(case.name))
            item.case, item.report = case, judged.report
            yield item


class SessionItem(pytest.Item):
    case: "Case"
    report: "Report"

    def runtest(self) -> None:
        from suture.exporters.cases import lines  # noqa: PLC0415

        fails = [item for item in self.case.items if self.report.fails(item)]
        rest = [item for item in self.case.items if not self.report.fails(item)]
        if rest:
            told = "\n".join(line for item in rest for line in lines(item))
            self.add_report_section("call", "suture", told)
        if fails:
            raise DamagedSession("\n".join(line for item in fails for line in lines(item)))

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None
    ) -> str:
        if isinstance(excinfo.value, DamagedSession):
            return str(excinfo.value)
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, None, f"session {self.name}"


class DamagedSession(Exception):
    """The findings, a line each."""
