"""Sessions of Codex CLI."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import harness
from packages import Client
from scenes import STALLED, Scene, start
from stand_in import Step

FULL = 300_000  # tokens: more than the client's context window holds


def shell(command: str) -> Step:
    return {"name": "exec_command", "input": {"cmd": command}}


def worked(client: Client, home: Path) -> Scene:
    """Two turns that ended well: two parallel calls, then one call and a text."""
    scene = start(
        client,
        home,
        "First look around.",
        {"text": "Looking.", "tools": [shell("echo one"), shell("echo two")]},
        {"text": "Both seen."},
    )
    scene.resume("Then count.", {"tools": [shell("touch three; echo three")]}, {"text": "Counted."})
    return scene


def killed_in_tool(client: Client, home: Path) -> Scene:
    return start(
        client,
        home,
        "Deploy the shop.",
        {"text": "Checking.", "tools": [shell("echo checks pass")]},
        {"text": "Deploying.", "tools": [shell("touch begun; sleep 60")]},
        kill_when="touch begun",
        made="shop/begun",
    )


def killed_in_parallel(client: Client, home: Path) -> Scene:
    """One of two has ended: no output is stored, an event may tell of it."""
    return start(
        client,
        home,
        "Deploy the shop.",
        {"text": "Checking.", "tools": [shell("echo checks pass")]},
        {
            "text": "Deploying.",
            "tools": [shell("touch begun; sleep 60"), shell("echo notified; touch told")],
        },
        kill_when="notified\\n" if client.version >= "0.171" else "touch told",
        made="shop/told",
    )


def killed_in_stream(client: Client, home: Path) -> Scene:
    return start(
        client,
        home,
        "Describe the shop.",
        {"text": "Reading.", "tools": [shell("echo shelves")]},
        {"text": "It has shelves.", "stall": STALLED},
        kill_when="function_call_output",
        made="stalled",
    )


def killed_after_compaction(client: Client, home: Path) -> Scene:
    scene = worked(client, home)
    scene.resume("Fill it.", {"text": "Full.", "input_tokens": FULL})
    begun = home / "shop/begun"
    scene.resume(
        "Deploy it now.",
        {"text": "The shop was counted."},
        {"text": "Deploying.", "tools": [shell("touch begun; sleep 60")]},
        kill_when=_stored(scene, begun),
    )
    return scene


def killed_in_fork(client: Client, home: Path) -> Scene:
    origin = worked(client, home)
    fork = Scene(client, home, _forked(origin), origin.session)
    begun = home / "shop/begun"
    fork.resume(
        "Deploy a copy.",
        {"text": "Deploying.", "tools": [shell("touch begun; sleep 60")]},
        kill_when=_stored(fork, begun),
    )
    return fork


def _stored(scene: Scene, made: Path) -> Callable[[], bool]:
    return lambda: made.exists() and b"touch begun" in scene.transcript.read_bytes()


def _forked(origin: Scene) -> str:
    """The id of a fork, which only the app server can make without a terminal."""
    (answer,) = ask(origin, ("thread/fork", {"threadId": origin.session}))
    return str(answer["thread"]["id"])


def ask(scene: Scene, *asked: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """What the app server answers to requests, one after the other."""
    client = {"name": "test", "version": "1"}
    hello = {"clientInfo": client, "capabilities": {"experimentalApi": True}}
    requests = [("initialize", hello), *asked]
    lines: list[dict[str, Any]] = [
        {"id": id, "method": method, "params": params}
        for id, (method, params) in enumerate(requests)
    ]
    lines.insert(1, {"method": "initialized"})
    typed = "".join(json.dumps(line) + "\n" for line in lines)
    said = harness.run(scene.client, scene.home, ["app-server"], typed=typed)
    answers = [json.loads(line) for line in said.stdout.splitlines()]
    results = {answer["id"]: answer.get("result") for answer in answers if "id" in answer}
    assert None not in results.values(), said.stdout
    return [results[id] for id in range(1, len(requests))]
