"""Damage costs by what is damaged: the number of questions does not grow with the sessions."""

import json
from pathlib import Path

import pytest

from suture import api
from suture.db import Database
from suture.model.scope import Scope

FEW, MANY = 2, 12


def line(session: str, n: int, parent: int | None, **more: object) -> dict[str, object]:
    record: dict[str, object] = {
        "type": "user",
        "uuid": f"{session}-{n}",
        "parentUuid": None if parent is None else f"{session}-{parent}",
        "sessionId": session,
        "timestamp": f"2026-01-01T00:00:{n:02}.000Z",
        "version": "2.1.100",
        "cwd": "/w",
        "isSidechain": False,
        "message": {"role": "user", "content": f"words {n}"},
    }
    return record | more


def result(session: str, n: int, parent: int, of: str) -> dict[str, object]:
    content = [{"type": "tool_result", "tool_use_id": of, "content": "done"}]
    return line(session, n, parent, message={"role": "user", "content": content})


def broken(session: str) -> bytes:
    """A call answered twice, a result of no call, and a record whose parent is not there."""
    call = {"type": "tool_use", "id": f"toolu_{session}", "name": "Read", "input": {}}
    reply = {"role": "assistant", "id": f"msg_{session}", "content": [call], "model": "m"}
    lines = [
        line(session, 0, None),
        line(session, 1, 0, type="assistant", message=reply),
        result(session, 2, 1, f"toolu_{session}"),
        result(session, 3, 2, f"toolu_{session}"),
        result(session, 4, 3, "toolu_none"),
        line(session, 6, 5),
    ]
    return b"".join(json.dumps(one).encode() + b"\n" for one in lines)


def questions(folder: Path, sessions: int, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    """How many a check asks of such sessions, and what it finds."""
    project = folder / str(sessions) / "projects" / "p"
    project.mkdir(parents=True)
    for number in range(sessions):
        session = f"00000000-0000-4000-8000-{number:012}"
        (project / f"{session}.jsonl").write_bytes(broken(session))
    asked = []
    with_room = Database._with_room

    def counted(db: Database, ask: object) -> object:
        asked.append(ask)
        return with_room(db, ask)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(Database, "_with_room", counted)
        report = api.check(
            Scope((str(project.parent.parent),), assume="dead", now=1_800_000_000_000_000)
        )
    return len(asked), len(report.findings)


def test_more_broken_sessions_are_no_more_questions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of them are asked about at once."""
    few, found = questions(tmp_path, FEW, monkeypatch)
    many, found_in_many = questions(tmp_path, MANY, monkeypatch)
    assert found_in_many * FEW == found * MANY > 0
    assert many == few
