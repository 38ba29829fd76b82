"""Codex resumes what suture has repaired, and its model knows what the store still proves."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import codex_scenes
import pytest
from codex_faults import FAULTS
from damage_done import Fault
from packages import CODEX_0_150, CODEX_0_171, Client
from scenes import Scene
from story import require
from trials import Healthy, endure, killed, resumed

pytestmark = pytest.mark.clients

OLDER = (  # 0.150 stops its visible history at faults that 0.171 skips
    "middle-output-cut",
    "output-twice",
    "ordinal-twice",
    "no-ordinals-at-the-end",
)
CASES = [
    *((CODEX_0_171, fault) for fault in FAULTS),
    *((CODEX_0_150, fault) for fault in FAULTS if fault.name in OLDER),
]
KILLED = (
    codex_scenes.killed_in_tool,
    codex_scenes.killed_in_parallel,
    codex_scenes.killed_in_stream,
    codex_scenes.killed_after_compaction,
    codex_scenes.killed_in_fork,
)


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Client], Healthy]:
    return cache(lambda client: resumed(codex_scenes.worked, client, tmp_path_factory))


@pytest.mark.parametrize(
    ("client", "fault"), CASES, ids=lambda x: x.name if isinstance(x, Fault) else x.version
)
def test_a_fault(
    client: Client, fault: Fault, healthy: Callable[[Client], Healthy], tmp_path: Path
) -> None:
    require(client)
    endure(healthy(client), fault, tmp_path)


@pytest.mark.parametrize(
    ("client", "make"),
    [*((CODEX_0_171, make) for make in KILLED), *((CODEX_0_150, make) for make in KILLED[:2])],
    ids=lambda x: x.version if isinstance(x, Client) else x.__name__,
)
def test_a_kill(client: Client, make: Callable[[Client, Path], Scene], tmp_path: Path) -> None:
    require(client)
    killed(make(client, tmp_path / "home"), tmp_path)


def test_smoke_a_kill_and_a_fault(healthy: Callable[[Client], Healthy], tmp_path: Path) -> None:
    require(CODEX_0_171)
    killed(codex_scenes.killed_in_parallel(CODEX_0_171, tmp_path / "killed"), tmp_path / "story")
    (fault,) = [fault for fault in FAULTS if fault.name == "stub-before-record"]
    endure(healthy(CODEX_0_171), fault, tmp_path)
