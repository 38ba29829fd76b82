"""What repairs do to a chat."""

import json
from pathlib import Path
from typing import Any

import pytest
from gemini_chats import HEADER, Desk, call, chat, desk, message, reply

from suture.model.answer import MARK
from suture.model.errors import Unsupported
from suture.model.operation import (
    Answer,
    DropPart,
    Note,
    Operation,
    Outcome,
    Rebuild,
    Reparent,
    Restore,
    Truncate,
)

OPEN = chat(HEADER, message(1), reply(2, call(1, "success"), call(2)))


def added(opened: Desk, before: bytes) -> list[Any]:
    assert opened.data.startswith(before), "the chat only grows"
    return [json.loads(line) for line in opened.data[len(before) :].splitlines() if line]


def test_an_answer_writes_the_message_anew(tmp_path: Path) -> None:
    with desk(tmp_path, OPEN) as opened:
        assert opened.repair(Answer(0, 2, 3, "c2", Outcome.UNKNOWN)) == ["append"]
        (line,) = added(opened, OPEN)
        found = opened.tables()
    assert line["id"] == "m2"
    assert [one["status"] for one in line["toolCalls"]] == ["success", "error"]
    assert line["toolCalls"][1]["args"] == {"to": "live"}
    response = line["toolCalls"][1]["result"][0]["functionResponse"]
    assert response["id"] == "c2" and response["response"]["error"].startswith(MARK)
    assert [(row["call_id"], row["marked"]) for row in found["result"]] == [
        ("c1", False),
        ("c2", True),
    ]


def test_answers_of_one_message_are_one_line(tmp_path: Path) -> None:
    data = chat(HEADER, message(1), reply(2, call(1, "awaiting_approval"), call(2)), message(3))
    with desk(tmp_path, data) as opened:
        classes = opened.repair(
            Answer(0, 2, 1, "c1", Outcome.NEVER_STARTED), Answer(0, 2, 3, "c2", Outcome.UNKNOWN)
        )
        (line,) = added(opened, data)
    assert classes == ["append", "append"]
    assert [one["status"] for one in line["toolCalls"]] == ["cancelled", "error"]


def test_members_that_do_not_change_keep_their_bytes(tmp_path: Path) -> None:
    inner = b'{"id":"c1", "q":0.10,"status":"executing","name":"n"}'
    odd = b'{"id":"m2", "type":"gemini","x":1.50e+01,"toolCalls":[' + inner + b"]}"
    data = chat(HEADER) + odd  # the last line has no end
    with desk(tmp_path, data) as opened:
        opened.repair(Answer(0, 1, 1, "c1", Outcome.UNKNOWN))
        line = opened.data[len(data) :]
    assert line.startswith(b"\n{") and line.endswith(b"}\n")
    assert b'"x":1.50e+01' in line and b'"q":0.10' in line


def test_a_call_of_a_checkpoint_is_answered_behind_it(tmp_path: Path) -> None:
    data = chat(HEADER, {"$set": {"messages": [message(1), reply(2, call(1))]}})
    with desk(tmp_path, data) as opened:
        opened.repair(Answer(0, 1, 2, "c1", Outcome.UNKNOWN))
        assert added(opened, data)[0]["id"] == "m2"
        assert [row["call_id"] for row in opened.tables()["result"]] == ["c1"]


def test_taking_out_a_call_leaves_the_others_and_a_note(tmp_path: Path) -> None:
    with desk(tmp_path, OPEN) as opened:
        classes = opened.repair(DropPart(0, 2, 3), Note(0, 2, ("deploy",)))
        line, note = added(opened, OPEN)
    assert classes == ["payload", "append"]
    assert [one["id"] for one in line["toolCalls"]] == ["c1"]
    assert note["type"] == "user" and note["content"][0]["text"].startswith(MARK)


def test_cutting_back_is_the_rewind_of_the_client(tmp_path: Path) -> None:
    with desk(tmp_path, OPEN) as opened:
        opened.repair(Truncate(0, 1), Note(0, 1, ("deploy",)))
        back, note = added(opened, OPEN)
        found = opened.tables()
    assert back == {"$rewindTo": "m2"}
    assert found["call"] == []
    assert [row["id"] for row in found["record"] if row["sent"]] == ["m1", note["id"]]


@pytest.mark.parametrize(
    ("operation", "reason"),
    [
        (Reparent(0, 2, None), "where the chat should go back to is not known"),
        (Rebuild(0, "header"), "the hash of the project is in the header alone"),
        (Restore(0, 2, 3, "c2", "record 1"), "no record of a chat proves an outcome elsewhere"),
        (Answer(0, 1, 0, "c2", Outcome.UNKNOWN), "only a tool call can be answered"),
        (Truncate(0, 2), "no message stands behind that point"),
    ],
)
def test_what_cannot_be_done_says_why(tmp_path: Path, operation: Operation, reason: str) -> None:
    with desk(tmp_path, OPEN) as opened, pytest.raises(Unsupported, match=reason):
        opened.repair(operation)
