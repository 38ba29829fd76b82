"""Sessions of Codex CLI, where it has a way of its own."""

import json
from pathlib import Path
from typing import Any

import harness
import scenes
from packages import Client
from scene import Scene
from scenes import kill_in_tool, shell, worked

FULL = 300_000  # tokens: more than the client's context window holds


def killed_in_parallel(client: Client, home: Path) -> Scene:
    """No output is stored, an event may tell of it."""
    stored = "quick\\n" if client.version >= "0.171" else ""
    return scenes.killed_in_parallel(client, home, "echo quick; touch told", stored, "shop/told")


def killed_in_stream(client: Client, home: Path) -> Scene:
    return scenes.killed_in_stream(client, home, stored="function_call_output")


def killed_after_compaction(client: Client, home: Path) -> Scene:
    scene = worked(client, home)
    scene.resume("Fill it.", {"text": "Full.", "input_tokens": FULL})
    kill_in_tool(scene, "Deploy it now.", {"text": "The shop was counted."})
    return scene


def killed_in_fork(client: Client, home: Path) -> Scene:
    fork = _forked(worked(client, home))
    kill_in_tool(fork, "Deploy a copy.")
    return fork


def killed_in_fork_of_fork(client: Client, home: Path) -> Scene:
    first = _forked(worked(client, home))
    first.resume("Then weigh.", {"tools": [shell(client, "echo heavy")]}, {"text": "Weighed."})
    second = _forked(first)
    kill_in_tool(second, "Deploy a copy.")
    return second


def _forked(origin: Scene) -> Scene:
    """By the app server: no other way makes a fork without a terminal."""
    (answer,) = ask(origin, ("thread/fork", {"threadId": origin.session}))
    bases = (*origin.bases, origin.session)
    return Scene(origin.client, origin.home, str(answer["thread"]["id"]), bases)


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
