"""Thousands of repairs of one session are planned in seconds: no operation walks all of it, and
what cannot be done is found out in one reading."""

import json
import resource
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from suture import api
from suture.model.scope import Scope, Wanted

Record = dict[str, Any]

_SESSION = "5c0a1000-0000-4000-8000-000000000077"
_SECONDS = 25  # of CPU, for plan, apply and undo: quadratic they took 35 to 130
_NOW = 1_800_000_000_000_000
_EVERY = 20  # records: one fault in every fifth turn


def _id(n: int) -> str:
    return f"{n:08x}-0000-4000-8000-000000000000"


def _time(n: int) -> str:
    return f"2026-03-01T{n // 3600:02}:{n // 60 % 60:02}:{n % 60:02}.000Z"


def _transcript() -> list[Record]:
    """A prompt, a call, its result and an answer, again and again."""
    records: list[Record] = []

    def add(kind: str, content: object, **message: object) -> None:
        n = len(records)
        link = {"parentUuid": _id(n - 1) if n else None, "uuid": _id(n), "timestamp": _time(n)}
        envelope = {"type": kind, "isSidechain": False, "sessionId": _SESSION, "version": "2.1.197"}
        records.append(link | envelope | {"message": {"role": kind, "content": content, **message}})

    for turn in range(10_000):
        call = {"type": "tool_use", "id": f"t{turn}", "name": "Bash", "input": {}}
        result = {"type": "tool_result", "tool_use_id": f"t{turn}", "content": "ok"}
        add("user", f"question {turn}")
        add("assistant", [call], id=f"a{turn}", stop_reason="tool_use")
        add("user", [result])
        said = [{"type": "text", "text": "fine"}]
        add("assistant", said, id=f"b{turn}", stop_reason="end_turn")
    return records


def _lines(records: Iterator[Record] | list[Record]) -> Iterator[str]:
    return (json.dumps(record, separators=(",", ":")) for record in records)


def _lost_results(records: list[Record]) -> Iterator[str]:
    gone: dict[str, str] = {}
    for n, record in enumerate(records):
        if n % _EVERY == 6:
            gone[record["uuid"]] = record["parentUuid"]
        else:
            parent = record["parentUuid"]
            yield from _lines([{**record, "parentUuid": gone.get(parent, parent)}])


def _lost_results_of_lines_without_id(records: list[Record]) -> Iterator[str]:
    """Half of them: the store cannot answer a call whose line has no uuid."""
    for n, record in enumerate(records):
        if n % (2 * _EVERY) == 5:
            yield from _lines([{name: v for name, v in record.items() if name != "uuid"}])
        elif n % _EVERY != 6:
            yield from _lines([record])


def _torn_lines(records: list[Record]) -> Iterator[str]:
    for n, line in enumerate(_lines(records)):
        yield line[: len(line) * 2 // 3] if n % _EVERY == 7 else line


def _rollout() -> list[Record]:
    meta = {
        "id": "019c5000-0000-7000-8000-000000000001",
        "history_mode": "paginated",
        "timestamp": "2026-03-01T00:00:00.000Z",
        "cwd": "/p",
        "cli_version": "0.158.0",
    }
    records: list[Record] = [{"type": "session_meta", "payload": meta}]
    for turn in range(6000):
        said = [{"type": "output_text", "text": "fine"}]
        call = {"call_id": f"call_{turn}", "name": "exec_command", "arguments": "{}"}
        payloads: list[tuple[str, dict[str, Any]]] = [
            ("event_msg", {"type": "task_started", "turn_id": _id(turn)}),
            ("response_item", {"type": "function_call", **call}),
            ("response_item", {"type": "function_call_output", **call, "output": "ok"}),
            ("response_item", {"type": "message", "role": "assistant", "content": said}),
            ("event_msg", {"type": "task_complete", "turn_id": _id(turn)}),
        ]
        records += [{"type": kind, "payload": payload} for kind, payload in payloads]
    return [{"timestamp": _time(n), "ordinal": n, **record} for n, record in enumerate(records)]


def _repeated_ordinals(records: list[Record]) -> Iterator[str]:
    for n, record in enumerate(records):
        yield from _lines([{**record, "ordinal": n - 1} if n % _EVERY == 9 else record])


_CLAUDE = f"projects/p/{_SESSION}.jsonl"
_CODEX = (
    "sessions/2026/03/01/rollout-2026-03-01T00-00-00-019c5000-0000-7000-8000-000000000001.jsonl"
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "whole", "spoiled", "least"),
    [
        (_CLAUDE, _transcript, _lost_results, 2000),
        (_CLAUDE, _transcript, _lost_results_of_lines_without_id, 1000),
        (_CLAUDE, _transcript, _torn_lines, 2000),
        (_CODEX, _rollout, _repeated_ordinals, 1),
    ],
)
def test_a_repair_in_every_fifth_turn(
    path: str,
    whole: Callable[[], list[Record]],
    spoiled: Callable[[list[Record]], Iterator[str]],
    least: int,
    tmp_path: Path,
) -> None:
    file = tmp_path / "store" / path
    file.parent.mkdir(parents=True)
    file.write_text("\n".join(spoiled(whole())) + "\n", "utf-8")
    before, start = file.read_bytes(), resource.getrusage(resource.RUSAGE_SELF).ru_utime
    scope = Scope((str(tmp_path / "store"),), assume="dead", now=_NOW, jobs=1)
    plan = api.plan(scope, Wanted(), tmp_path / "plan.json")
    assert sum(len(unit.steps) for unit in plan.units) >= least
    applied = api.apply(tmp_path / "plan.json", tmp_path / "journal")
    assert file.read_bytes() != before
    api.undo(applied.journal, tmp_path / "journal")
    assert file.read_bytes() == before
    assert resource.getrusage(resource.RUSAGE_SELF).ru_utime - start < _SECONDS
