"""Sessions of Claude Code, where it has a way of its own."""

from pathlib import Path

import scenes
from packages import Client
from scene import Scene, start
from scenes import BEGUN, THREE, kill_in_tool, shell, worked

BINDING = "claude-opus-5-5"  # binds its signed thinking to all that was said before


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


def thoughtful(client: Client, home: Path) -> Scene:
    """Two turns with signed thinking before each call and each reply."""
    settings = home / ".claude/settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(f'{{"model":"{BINDING}"}}', encoding="utf-8")
    scene = start(
        client,
        home,
        "First look around.",
        {"thinking": "Where am I?", "text": "Looking.", "tools": [shell(client, "echo one")]},
        {"thinking": "One it is.", "text": "Seen."},
    )
    scene.resume(
        "Then count.",
        {"thinking": "Count how?", "tools": [shell(client, THREE)]},
        {"thinking": "It is three.", "text": "Counted."},
    )
    return scene


def killed_in_thoughtful_tool(client: Client, home: Path) -> Scene:
    scene = thoughtful(client, home)
    begun = home / "shop/begun"
    scene.resume(
        "Deploy it now.",
        {"thinking": "Deploy how?", "text": "Deploying.", "tools": [shell(client, BEGUN)]},
        kill_when=lambda: begun.exists() and scene.holds("touch begun"),
    )
    return scene
