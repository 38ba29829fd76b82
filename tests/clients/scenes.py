"""Sessions that every client can write, some killed in the middle of their work."""

from pathlib import Path

from packages import Client
from scene import Scene, start
from settings import HOME
from stand_in import Step
from ways import WAYS

STALLED = f"{HOME}/stalled"
BEGUN = "touch begun; sleep 60"
THREE = "touch three; echo three"


def shell(client: Client, command: str) -> Step:
    return WAYS[client.name].shell(command)


def helper(client: Client, task: str) -> Step:
    asks = WAYS[client.name].helper
    assert asks is not None
    return asks(task)


def worked(client: Client, home: Path) -> Scene:
    """Two turns that ended well: two parallel calls, then one call and a text."""
    one, two = shell(client, "echo one"), shell(client, "echo two")
    scene = start(
        client,
        home,
        "First look around.",
        {"text": "Looking.", "tools": [one, two]},
        {"text": "Both seen."},
    )
    scene.resume("Then count.", {"tools": [shell(client, THREE)]}, {"text": "Counted."})
    return scene


def killed_in_tool(client: Client, home: Path, *more: Step, stored: str = BEGUN) -> Scene:
    """In the second step; `more` calls stand behind the one that runs."""
    return start(
        client,
        home,
        "Deploy the shop.",
        {"text": "Checking.", "tools": [shell(client, "echo checks pass")]},
        {"text": "Deploying.", "tools": [shell(client, BEGUN), *more]},
        stored=stored,
        made="shop/begun",
    )


def killed_in_parallel(client: Client, home: Path, quick: str, stored: str, made: str) -> Scene:
    """Two calls run side by side, the quick one has ended."""
    return start(
        client,
        home,
        "Watch the shop.",
        {"text": "Checking.", "tools": [shell(client, "echo checks pass")]},
        # 2.1.332 of Claude Code refuses a bare sleep
        {
            "text": "Watching.",
            "tools": [shell(client, "tail -f /etc/hostname"), shell(client, quick)],
        },
        stored=stored,
        made=made,
    )


def killed_in_stream(client: Client, home: Path, *begun: Step, stored: str) -> Scene:
    """While an answer arrives; `stored` is of the step before."""
    return start(
        client,
        home,
        "Describe the shop.",
        {"text": "Reading.", "tools": [shell(client, "echo shelves")]},
        {"text": "It has", "tools": list(begun), "stall": STALLED},
        stored=stored,
        made="stalled",
    )


def killed_in_subagent(client: Client, home: Path) -> Scene:
    return start(
        client,
        home,
        "Ask a helper.",
        {"text": "Asking.", "tools": [helper(client, "check the prices")]},
        {"tools": [shell(client, BEGUN)]},
        made="shop/begun",
    )


def with_subagent(client: Client, home: Path) -> Scene:
    return start(
        client,
        home,
        "Ask a helper.",
        {"text": "Asking.", "tools": [helper(client, "check the prices")]},
        {"tools": [shell(client, "echo 3 prices")]},
        {"text": "Three prices, all right."},
        {"text": "The helper is done."},
    )


def killed_in_fork(client: Client, home: Path) -> Scene:
    origin = worked(client, home)
    kill_in_tool(origin, "Deploy a copy.", fork=True)
    (forked,) = set(origin.ways.sessions(home)) - {origin.session}
    return Scene(client, home, forked)


def kill_in_tool(scene: Scene, prompt: str, *before: Step, fork: bool = False) -> None:
    begun = scene.home / "shop/begun"
    step = {"text": "Deploying.", "tools": [shell(scene.client, BEGUN)]}
    scene.resume(
        prompt,
        *before,
        step,
        fork=fork,
        kill_when=lambda: begun.exists() and scene.holds("touch begun"),
    )
