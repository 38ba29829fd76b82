"""Sessions of Claude Code, where it has a way of its own."""

from pathlib import Path

import scenes
from packages import Client
from scene import Scene
from scenes import kill_in_tool, shell, worked


def killed_in_tool(client: Client, home: Path) -> Scene:
    """The second call waits for the first, which writes."""
    waiting = shell(client, "echo notify > sent; cat sent")
    stored = '"Bash","input":{"command":"echo notify'
    return scenes.killed_in_tool(client, home, waiting, stored=stored)


def killed_in_parallel(client: Client, home: Path) -> Scene:
    """Only calls that read run side by side."""
    return scenes.killed_in_parallel(client, home, "echo quick", '"content":"quick"', "")


def killed_in_stream(client: Client, home: Path) -> Scene:
    begun = shell(client, "rm -r shelves")
    return scenes.killed_in_stream(client, home, begun, stored='"content":"shelves"')


def killed_after_compaction(client: Client, home: Path) -> Scene:
    scene = worked(client, home)
    scene.resume("/compact", {"text": "<summary>The shop was counted.</summary>"})
    kill_in_tool(scene, "Deploy it now.")
    return scene
