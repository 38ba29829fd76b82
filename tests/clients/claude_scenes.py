"""Sessions of Claude Code."""

from pathlib import Path

from packages import Client
from scenes import STALLED, Scene, start
from stand_in import Step


def bash(command: str) -> Step:
    return {"name": "Bash", "input": {"command": command}}


def agent(description: str) -> Step:
    prompt = f"Please {description}."
    given = {"description": description, "prompt": prompt, "subagent_type": "general-purpose"}
    return {"name": "Agent", "input": given}


def worked(client: Client, home: Path) -> Scene:
    """Two turns that ended well: two parallel calls, then one call and a text."""
    scene = start(
        client,
        home,
        "First look around.",
        {"text": "Looking.", "tools": [bash("echo one"), bash("echo two")]},
        {"text": "Both seen."},
    )
    scene.resume("Then count.", {"tools": [bash("touch three; echo three")]}, {"text": "Counted."})
    return scene


def killed_in_tool(client: Client, home: Path) -> Scene:
    """The second call waits for the first, which writes."""
    return start(
        client,
        home,
        "Deploy the shop.",
        {"text": "Checking.", "tools": [bash("echo checks pass")]},
        {
            "text": "Deploying.",
            "tools": [bash("touch begun; sleep 60"), bash("echo notify > sent; cat sent")],
        },
        kill_when='"Bash","input":{"command":"echo notify',
        made="shop/begun",
    )


def killed_in_parallel(client: Client, home: Path) -> Scene:
    """Two calls that only read run side by side; one has ended. 2.1.332 refuses a bare sleep."""
    return start(
        client,
        home,
        "Watch the shop.",
        {"text": "Watching.", "tools": [bash("tail -f /etc/hostname"), bash("echo quick")]},
        kill_when='"type":"tool_result"',
    )


def killed_in_stream(client: Client, home: Path) -> Scene:
    return start(
        client,
        home,
        "Describe the shop.",
        {"text": "Reading.", "tools": [bash("echo shelves")]},
        {"text": "It has", "tools": [bash("rm -r shelves")], "stall": STALLED},
        kill_when='"type":"tool_result"',
        made="stalled",
    )


def killed_after_compaction(client: Client, home: Path) -> Scene:
    scene = worked(client, home)
    scene.resume("/compact", {"text": "<summary>The shop was counted.</summary>"})
    _kill_in_tool(scene, "Deploy it now.")
    return scene


def killed_in_subagent(client: Client, home: Path) -> Scene:
    return start(
        client,
        home,
        "Ask a helper.",
        {"text": "Asking.", "tools": [agent("check the prices")]},
        {"tools": [bash("touch begun; sleep 60")]},
        made="shop/begun",
    )


def with_subagent(client: Client, home: Path) -> Scene:
    return start(
        client,
        home,
        "Ask a helper.",
        {"text": "Asking.", "tools": [agent("check the prices")]},
        {"tools": [bash("echo 3 prices")]},
        {"text": "Three prices, all right."},
        {"text": "The helper is done."},
    )


def killed_in_fork(client: Client, home: Path) -> Scene:
    origin = worked(client, home)
    known = {origin.transcript}
    _kill_in_tool(origin, "Deploy a copy.", fork=True)
    (forked,) = set(origin.store.glob("*.jsonl")) - known
    return Scene(client, home, forked.stem)


def _kill_in_tool(scene: Scene, prompt: str, *, fork: bool = False) -> None:
    begun = scene.home / "shop/begun"

    def reached() -> bool:
        stored = any(b"touch begun" in p.read_bytes() for p in scene.store.glob("*.jsonl"))
        return stored and begun.exists()

    step = {"text": "Deploying.", "tools": [bash("touch begun; sleep 60")]}
    scene.resume(prompt, step, fork=fork, kill_when=reached)
