"""Real clients resume what suture has repaired; their models know what the store still proves."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import claude_faults
import claude_scenes
import codex_faults
import codex_scenes
import opencode_faults
import opencode_scenes
import pytest
import scenes
from damage_done import Fault
from packages import (
    CLAUDE_2_1_197,
    CLAUDE_2_1_332,
    CODEX_0_150,
    CODEX_0_171,
    OPENCODE_1_17,
    OPENCODE_1_18,
    Client,
)
from scene import Scene
from story import require
from trials import Healthy, endure, killed, resumed

pytestmark = pytest.mark.clients

Make = Callable[[Client, Path], Scene]

# Of the second version of each client a few: enough to see where it differs.
NEWER_CLAUDE = ("last-result-cut", "no-result", "unknown-parent", "glued")
OLDER_CODEX = (  # 0.150 stops its visible history at faults that 0.171 skips
    "middle-output-cut",
    "output-twice",
    "ordinal-twice",
    "no-ordinals-at-the-end",
)
OLDER_OPENCODE = ("no-part", "part-cut", "counter-behind")
FAULTS = [
    *((CLAUDE_2_1_197, fault) for fault in claude_faults.FAULTS),
    *((CLAUDE_2_1_332, fault) for fault in claude_faults.FAULTS if fault.name in NEWER_CLAUDE),
    *((CODEX_0_171, fault) for fault in codex_faults.FAULTS),
    *((CODEX_0_150, fault) for fault in codex_faults.FAULTS if fault.name in OLDER_CODEX),
    *((OPENCODE_1_18, fault) for fault in opencode_faults.FAULTS),
    *((OPENCODE_1_17, fault) for fault in opencode_faults.FAULTS if fault.name in OLDER_OPENCODE),
]

CLAUDE_KILLS: tuple[Make, ...] = (
    claude_scenes.killed_in_tool,
    claude_scenes.killed_in_parallel,
    claude_scenes.killed_after_compaction,
    claude_scenes.killed_in_stream,
    scenes.killed_in_subagent,
    scenes.killed_in_fork,
)
CODEX_KILLS: tuple[Make, ...] = (
    scenes.killed_in_tool,
    codex_scenes.killed_in_parallel,
    codex_scenes.killed_in_stream,
    codex_scenes.killed_after_compaction,
    codex_scenes.killed_in_fork,
)
OPENCODE_KILLS: tuple[Make, ...] = (
    scenes.killed_in_tool,
    opencode_scenes.killed_in_parallel,
    opencode_scenes.killed_in_stream,
    opencode_scenes.killed_after_compaction,
    scenes.killed_in_subagent,
    scenes.killed_in_fork,
    opencode_scenes.killed_while_summarising,
    opencode_scenes.refused_compaction,
    opencode_scenes.broken_after_tool,
)
KILLS = [
    *((CLAUDE_2_1_197, make) for make in CLAUDE_KILLS),
    *((CLAUDE_2_1_332, make) for make in CLAUDE_KILLS[:3]),
    *((CODEX_0_171, make) for make in CODEX_KILLS),
    *((CODEX_0_150, make) for make in CODEX_KILLS[:2]),
    *((OPENCODE_1_18, make) for make in OPENCODE_KILLS),
    *((OPENCODE_1_17, make) for make in OPENCODE_KILLS[:2]),
]
SMOKE: list[tuple[Client, Make]] = [
    (CLAUDE_2_1_197, claude_scenes.killed_in_parallel),
    (CODEX_0_171, codex_scenes.killed_in_parallel),
    (OPENCODE_1_18, opencode_scenes.killed_in_parallel),
]


def named(value: Client | Fault | Make) -> str:
    match value:
        case Client():
            return value.id
        case Fault():
            return value.name
        case _:
            return value.__name__


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Client], Healthy]:
    return cache(lambda client: resumed(client, tmp_path_factory))


@pytest.mark.parametrize(("client", "fault"), FAULTS, ids=named)
def test_a_fault(
    client: Client, fault: Fault, healthy: Callable[[Client], Healthy], tmp_path: Path
) -> None:
    require(client)
    endure(healthy(client), fault, tmp_path)


@pytest.mark.parametrize(("client", "make"), KILLS, ids=named)
def test_a_kill(client: Client, make: Make, tmp_path: Path) -> None:
    require(client)
    killed(make(client, tmp_path / "home"), tmp_path)


@pytest.mark.parametrize(("client", "make"), SMOKE, ids=named)
def test_smoke(client: Client, make: Make, tmp_path: Path) -> None:
    require(client)
    killed(make(client, tmp_path / "home"), tmp_path)
