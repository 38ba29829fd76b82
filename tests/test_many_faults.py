"""Thousands of faults of one kind in one session take seconds: no rule walks all of it for each."""

import json
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from os import environ, pathsep
from pathlib import Path
from typing import Any

import pytest

_SESSION = "5c0a1000-0000-4000-8000-000000000077"
_TURNS = 6000
_SECONDS = 25  # of CPU: a healthy session takes one or two, a rule that is quadratic a minute

Record = dict[str, Any]


def _id(n: int) -> str:
    return f"{n:08x}-0000-4000-8000-000000000000"


def _turns() -> list[Record]:
    """A prompt, a call, its result and an answer, again and again."""
    records: list[Record] = []

    def add(kind: str, role: str, content: object, **message: object) -> None:
        n = len(records)
        records.append(
            {
                "parentUuid": _id(n - 1) if n else None,
                "isSidechain": False,
                "sessionId": _SESSION,
                "version": "2.1.197",
                "type": kind,
                "message": {"role": role, "content": content, **message},
                "uuid": _id(n),
                "timestamp": f"2026-03-{1 + n // 86400:02}T{n // 3600 % 24:02}"
                f":{n // 60 % 60:02}:{n % 60:02}.000Z",
            }
        )

    for turn in range(_TURNS):
        call = {"type": "tool_use", "id": f"t{turn}", "name": "Bash", "input": {}}
        result = {"type": "tool_result", "tool_use_id": f"t{turn}", "content": "ok"}
        add("user", "user", f"question {turn}")
        add("assistant", "assistant", [call], id=f"a{turn}", stop_reason="tool_use")
        add("user", "user", [result])
        said = [{"type": "text", "text": "fine"}]
        add("assistant", "assistant", said, id=f"b{turn}", stop_reason="end_turn")
    return records


def _new_roots(records: list[Record]) -> Iterator[Record]:
    for n, record in enumerate(records):
        yield {**record, "parentUuid": None} if n % 8 == 4 else record


def _lost_parents(records: list[Record]) -> Iterator[Record]:
    for n, record in enumerate(records):
        yield {**record, "parentUuid": _id(1 << 30 | n)} if n % 8 == 4 else record


def _results_above_their_calls(records: list[Record]) -> Iterator[Record]:
    for n, record in enumerate(records):
        yield {**record, "parentUuid": _id(n - 2)} if n % 16 == 2 else record


def _open_calls_on_left_branches(records: list[Record]) -> Iterator[Record]:
    for n, record in enumerate(records):
        if n % 16 < 2:
            yield record
        elif n % 16 == 4:
            yield {**record, "parentUuid": _id(n - 5) if n > 4 else None}
        elif n % 16 > 3:
            yield record


def _unknown_links(records: list[Record]) -> Iterator[Record]:
    for n, record in enumerate(records):
        yield {**record, "type": "later-invention"} if n % 8 == 3 else record


def _boundaries_without_summary(records: list[Record]) -> Iterator[Record]:
    for n, record in enumerate(records):
        if n % 16 == 4:
            boundary = {**record, "type": "system", "subtype": "compact_boundary"}
            yield {**boundary, "uuid": _id(1 << 30 | n), "parentUuid": None, "message": None}
            yield {**record, "parentUuid": _id(1 << 30 | n)}
        else:
            yield record


@pytest.mark.slow
@pytest.mark.parametrize(
    "spoiled",
    [_new_roots, _lost_parents, _results_above_their_calls, _open_calls_on_left_branches,
     _unknown_links, _boundaries_without_summary],
)  # fmt: skip
def test_a_fault_in_every_other_turn(
    spoiled: Callable[[list[Record]], Iterator[Record]], tmp_path: Path
) -> None:
    file = tmp_path / "projects" / "p" / f"{_SESSION}.jsonl"
    file.parent.mkdir(parents=True)
    lines = (json.dumps(record, separators=(",", ":")) for record in spoiled(_turns()))
    file.write_text("\n".join(lines) + "\n", "utf-8")
    command = [sys.executable, "-m", "suture", "check", "--format", "json", str(tmp_path)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(
        command,
        capture_output=True,
        timeout=600,
        check=False,
        env={**environ, "PYTHONPATH": pathsep.join(sys.path)},
    )
    assert done.returncode in (0, 1), done.stderr.decode()
    assert len(json.loads(done.stdout)["findings"]) > _TURNS // 5
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before < _SECONDS
