"""A long session with faults of every kind: what a round read serves its translations as well."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from suture import api, planning
from suture.db import database
from suture.model.scope import Scope, Wanted
from suture.repair import planner
from suture.stores._entries import Entries
from suture.stores.claude_code import transcript
from suture.stores.codex import scan

Record = dict[str, Any]

_SESSION = "5c0a1000-0000-4000-8000-000000000078"
_THREAD = "019c5000-0000-7000-8000-000000000002"
_CLAUDE = f"projects/p/{_SESSION}.jsonl"
_CODEX = f"sessions/2026/03/01/rollout-2026-03-01T00-00-00-{_THREAD}.jsonl"
_NOW = 1_800_000_000_000_000


def _id(n: int) -> str:
    return f"{n:08x}-0000-4000-8000-000000000000"


def _time(n: int) -> str:
    return f"2026-03-01T{n // 3600:02}:{n // 60 % 60:02}:{n % 60:02}.000Z"


def _transcript(turns: int) -> list[Record]:
    """A prompt, a call, its result and an answer, again and again."""
    records: list[Record] = []

    def add(kind: str, content: object, **message: object) -> None:
        n = len(records)
        link = {"parentUuid": _id(n - 1) if n else None, "uuid": _id(n), "timestamp": _time(n)}
        envelope = {"type": kind, "isSidechain": False, "sessionId": _SESSION, "version": "2.1.197"}
        records.append(link | envelope | {"message": {"role": kind, "content": content, **message}})

    for turn in range(turns):
        call = {"type": "tool_use", "id": f"t{turn}", "name": "Bash", "input": {}}
        result = {"type": "tool_result", "tool_use_id": f"t{turn}", "content": "ok"}
        add("user", f"question {turn}")
        add("assistant", [call], id=f"a{turn}", stop_reason="tool_use")
        add("user", [result])
        add("assistant", [{"type": "text", "text": "fine"}], id=f"b{turn}", stop_reason="end_turn")
    return records


def _rollout(turns: int) -> list[Record]:
    meta = {
        "id": _THREAD,
        "history_mode": "paginated",
        "timestamp": _time(0),
        "cwd": "/p",
        "cli_version": "0.158.0",
    }
    payloads: list[tuple[str, Record]] = [("session_meta", meta)]
    for turn in range(turns):
        call = {"call_id": f"call_{turn}", "name": "exec_command", "arguments": "{}"}
        said = [{"type": "output_text", "text": "fine"}]
        payloads += [
            ("event_msg", {"type": "task_started", "turn_id": _id(turn)}),
            ("response_item", {"type": "function_call", **call}),
            ("response_item", {"type": "function_call_output", **call, "output": "ok"}),
            ("response_item", {"type": "message", "role": "assistant", "content": said}),
            ("event_msg", {"type": "task_complete", "turn_id": _id(turn)}),
        ]
    return [
        {"timestamp": _time(n), "ordinal": n, "type": kind, "payload": payload}
        for n, (kind, payload) in enumerate(payloads)
    ]


def _spoiled(records: list[Record], is_result: Callable[[Record], bool]) -> Iterator[bytes]:
    """Each fault in turn, one in some forty records: lost and repeated results, torn, glued and
    repeated lines, bytes that are no text."""
    results = 0
    for n, record in enumerate(records):
        line = json.dumps(record, separators=(",", ":")).encode()
        if not is_result(record):
            glued, torn, again, spoiled = (n % 160 == at for at in (23, 63, 103, 143))
            if spoiled:
                line = line.replace(b"fine", b"f\xffne").replace(b"question", b"ques\xfftion")
            if torn:
                line = line[: len(line) * 2 // 3]
            yield line + (b"" if glued else b"\n") + (line + b"\n" if again else b"")
            continue
        results += 1
        if results % 40 == 11:
            continue
        yield line + b"\n"
        if results % 40 == 31:
            yield line.replace(b'"ok"', b'"no"').replace(b'"uuid":"0', b'"uuid":"f') + b"\n"


def _is_result(record: Record) -> bool:
    content = record.get("message", {}).get("content")
    answers = isinstance(content, list) and bool(content[0]["type"] == "tool_result")
    payload: Record = record.get("payload", {})
    return answers or bool(payload.get("type") == "function_call_output")


def _store(root: Path, path: str, records: list[Record]) -> Path:
    file = root / "store" / path
    file.parent.mkdir(parents=True)
    file.write_bytes(b"".join(_spoiled(records, _is_result)))
    return file


def _counted(patch: pytest.MonkeyPatch, owner: Any, name: str, counts: Counter[str]) -> None:
    real = getattr(owner, name)

    def counting(*args: Any, **named: Any) -> Any:
        counts[name] += 1
        return real(*args, **named)

    patch.setattr(owner, name, counting)


@pytest.mark.parametrize(
    ("path", "whole", "turns"),
    [
        pytest.param(_CLAUDE, _transcript, 200, id="claude"),
        pytest.param(_CODEX, _rollout, 200, id="codex"),
        pytest.param(_CLAUDE, _transcript, 10_000, id="claude-long", marks=pytest.mark.slow),
        pytest.param(_CODEX, _rollout, 5000, id="codex-long", marks=pytest.mark.slow),
    ],
)
def test_a_round_reads_a_session_once(
    path: str,
    whole: Callable[[int], list[Record]],
    turns: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = _store(tmp_path, path, whole(turns))
    before, counts = file.read_bytes(), Counter[str]()
    monkeypatch.setattr(database, "_BATCH", 100)  # rows from which a round's rest on the disk
    for module in (transcript, scan):
        _counted(monkeypatch, module, "stretches", counts)
    _counted(monkeypatch, planning, "judge", counts)
    _counted(monkeypatch, planner, "translated", counts)
    scope = Scope((str(tmp_path / "store"),), assume="dead", now=_NOW, jobs=1)
    plan = api.plan(scope, Wanted(), tmp_path / "plan.json")
    steps = [step for unit in plan.units for step in unit.steps]
    assert sum(len(step.findings) for step in steps) >= turns // 20
    assert counts["translated"] >= 3  # rounds
    assert counts["stretches"] <= counts["judge"]
    applied = api.apply(tmp_path / "plan.json", tmp_path / "journal")
    assert file.read_bytes() != before
    api.undo(applied.journal, tmp_path / "journal")
    assert file.read_bytes() == before


def _lost_result(records: list[Record]) -> Iterator[bytes]:
    at = next(n for n, record in enumerate(records) if n > 400 and _is_result(record))
    for n, record in enumerate(records):
        if n != at:
            parent = records[at].get("parentUuid") if n == at + 1 else record.get("parentUuid")
            linked = {**record, "parentUuid": parent} if "parentUuid" in record else record
            yield json.dumps(linked, separators=(",", ":")).encode() + b"\n"


def _repeated_ordinal(records: list[Record]) -> Iterator[bytes]:
    for n, record in enumerate(records):
        told = {**record, "ordinal": n - 1} if n >= 401 else record
        yield json.dumps(told, separators=(",", ":")).encode() + b"\n"


@pytest.mark.parametrize(
    ("path", "records", "spoiled"),
    [
        pytest.param(_CLAUDE, _transcript(1000), _lost_result, id="claude-answered"),
        pytest.param(_CODEX, _rollout(800), _lost_result, id="codex-answered"),
        pytest.param(_CODEX, _rollout(800), _repeated_ordinal, id="codex-numbered-again"),
    ],
)
def test_a_plan_looks_at_the_records_near_a_fault(
    path: str,
    records: list[Record],
    spoiled: Callable[[list[Record]], Iterator[bytes]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An object of each record of a long session costs more than reading it."""
    file = tmp_path / "store" / path
    file.parent.mkdir(parents=True)
    file.write_bytes(b"".join(spoiled(records)))
    made = Counter[str]()
    real = Entries._between

    def counting(self: Entries[Any], start: int, stop: int) -> Iterator[Any]:
        for entry in real(self, start, stop):
            made["entries"] += 1
            yield entry

    monkeypatch.setattr(Entries, "_between", counting)
    scope = Scope((str(tmp_path / "store"),), assume="dead", now=_NOW, jobs=1)
    plan = api.plan(scope, Wanted(), tmp_path / "plan.json")
    assert sum(len(unit.steps) for unit in plan.units) >= 1
    assert made["entries"] < len(records) // 10
