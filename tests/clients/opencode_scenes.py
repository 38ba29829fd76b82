"""Sessions of OpenCode, where it has a way of its own."""

from pathlib import Path

import scenes
from packages import Client
from scene import Scene, start
from scenes import STALLED, THREE, kill_in_tool, shell, worked
from settings import HOME
from stand_in import Step

FULL = 99_000  # tokens: as good as all that the settings allow the model


def killed_in_parallel(client: Client, home: Path) -> Scene:
    stored = '"output":"quick\\n","metadata"'
    return scenes.killed_in_parallel(client, home, "echo quick", stored, "")


def killed_in_stream(client: Client, home: Path) -> Scene:
    """The call whose arguments arrive is stored without them."""
    begun = {"name": "read", "input": {"filePath": f"{HOME}/shop/shelves"}}
    return scenes.killed_in_stream(client, home, begun, stored='"tool":"read"')


def killed_after_compaction(client: Client, home: Path) -> Scene:
    scene = worked(client, home)
    scene.resume(
        "Fill it.", {"text": "Full.", "input_tokens": FULL}, {"text": "The shop was counted."}
    )
    kill_in_tool(scene, "Deploy it now.")
    return scene


def killed_while_summarising(client: Client, home: Path) -> Scene:
    scene = worked(client, home)
    _fill(scene, {"text": "The shop", "stall": STALLED})
    return scene


def refused_compaction(client: Client, home: Path) -> Scene:
    """So much was said that the newest of it is to be kept: the cut is stored, no summary is."""
    scene = worked(client, home)
    scene.resume("List all.", {"tools": [shell(client, "seq 1 9000")]}, {"text": "Listed."})
    _fill(scene, {"refused": True})
    return scene


def _fill(scene: Scene, summary: Step) -> None:
    full = {"text": "Full.", "input_tokens": FULL}
    stalled = scene.home / "stalled"
    scene.resume("Fill it.", full, summary, kill_when=stalled.exists)


def broken_after_tool(client: Client, home: Path) -> Scene:
    """The provider ends the stream with an error when the tool has already run."""
    done = f"{HOME}/shop/three"
    return start(
        client,
        home,
        "Count the shop.",
        {"text": "Counting.", "tools": [shell(client, THREE)], "breaks": done},
    )
