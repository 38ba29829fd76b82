"""Which items reach the model, as codex 0.171.0 does with one rollout of each (measured)."""

from pathlib import Path
from typing import Any

import pytest
import rollouts as r

_TEXT = [{"type": "input_text", "text": "Be brief"}]
_ACTION = {"type": "exec", "command": ["ls"]}
_SHELL = {"type": "local_shell_call", "call_id": "c", "status": "completed", "action": _ACTION}
_SEARCH = {"type": "tool_search_call", "call_id": "c", "execution": "client", "arguments": {}}
_PICTURE = {"type": "image_generation_call", "status": "completed", "result": "iVBORw0KGgo="}
_FOUND = {
    "type": "tool_search_output",
    "call_id": "c",
    "status": "completed",
    "execution": "client",
    "tools": [],
}
_PATCHED = {"type": "custom_tool_call_output", "call_id": "c", "output": "done"}
_PASSED_ON = {"type": "agent_message", "author": "/a", "recipient": "/b", "content": _TEXT}
_TOOLS = {"type": "additional_tools", "role": "developer", "tools": []}
_SAID = {"type": "message", "role": "user", "content": _TEXT}
_THROUGH = "internal_chat_message_metadata_passthrough"
GONE = object()


def sent(tmp_path: Path, *items: dict[str, Any]) -> list[bool]:
    entries = [r.meta(), r.start("t"), *(("response_item", item) for item in items)]
    rows = r.read(r.write(tmp_path, r.lines(entries)))["record"]
    return [row["sent"] for row in rows[2:]]


@pytest.mark.parametrize(
    ("item", "change", "is_sent"),
    [
        (_SHELL, {}, True),
        (_SHELL, {"call_id": None, "status": "in_progress"}, True),
        (_SHELL, {"status": GONE}, False),
        (_SHELL, {"status": "failed"}, False),
        (_SHELL, {"action": GONE}, False),
        (_SHELL, {"action": {"command": ["ls"]}}, False),
        (_SHELL, {"action": _ACTION | {"timeout_ms": -1}}, False),
        (_SEARCH, {"arguments": None}, True),
        (_SEARCH, {"arguments": GONE}, False),
        (_SEARCH, {"execution": GONE}, False),
        (_FOUND, {"tools": [1]}, True),
        (_FOUND, {"status": GONE}, False),
        (_PICTURE, {"status": "failed"}, True),
        (_PICTURE, {"result": GONE}, False),
        (_PICTURE, {"result": "x", "revised_prompt": [1]}, False),
        (_PICTURE, {"encrypted_content": 7}, False),
        (_PATCHED, {"namespace": 7}, True),
        (_PATCHED, {"call_id": GONE}, False),
        (_PASSED_ON, {"content": []}, True),
        (_PASSED_ON, {"author": GONE}, False),
        (_TOOLS, {}, True),
        (_TOOLS, {"role": 7}, False),
        (_SAID, {"role": "system"}, False),
        (_SAID, {"role": "System"}, True),
        (_SAID, {"namespace": 7, "name": None}, True),
        (_SAID, {"status": 7}, False),
        (_SAID, {"name": 7}, True),
        (_SAID, {"name": 7, "phase": "odd"}, False),
        (_PATCHED, {"id": "odd", "output": 7}, False),
        (_SAID, {_THROUGH: {"content_item_kinds": 7}}, True),
        (_SAID, {_THROUGH: []}, True),
        (_SAID, {_THROUGH: {"turn_id": 7}}, False),
    ],
)
def test_an_item(
    item: dict[str, Any], change: dict[str, Any], is_sent: bool, tmp_path: Path
) -> None:
    changed = {key: value for key, value in (item | change).items() if value is not GONE}
    assert sent(tmp_path, changed) == [is_sent]


@pytest.mark.parametrize("change", [{"name": None}, {"arguments": {}}, {"namespace": 7}])
def test_an_output_goes_with_its_call(change: dict[str, Any], tmp_path: Path) -> None:
    _, odd = r.call("a", **change)
    (_, answer), (_, sound), (_, other) = r.output("a"), r.call("b"), r.output("b")
    assert sent(tmp_path, odd, answer, sound, other) == [False, False, True, True]
    assert sent(tmp_path, odd, r.call("a")[1], answer) == [False, True, True]


@pytest.mark.parametrize(
    ("change", "counts"),
    [
        ({}, True),
        ({"name": 7}, True),
        ({"role": 7}, False),
        ({"name": 7, "status": 7}, False),
        ({"type": 7}, False),
        ({"type": "novel"}, True),
    ],
)
def test_a_compaction(change: dict[str, Any], counts: bool, tmp_path: Path) -> None:
    """What is before it is sent where it does not count."""
    kept = {"message": "", "replacement_history": [_SAID | change]}
    entries = [r.meta(), r.start("t"), r.message("user", "one"), ("compacted", kept)]
    rows = r.read(r.write(tmp_path, r.lines(entries)))["record"]
    assert [row["sent"] for row in rows[2:]] == [not counts, counts]


def test_what_is_left_out_for_one_key_says_so_beside_what_is_harmless(tmp_path: Path) -> None:
    entries = [r.meta(), r.start("t"), ("response_item", _SAID | {"name": 7, "phase": "odd"})]
    row = r.read(r.write(tmp_path, r.lines(entries)))["record"][2]
    assert row["detail"] == (
        "payload.name is a number; payload.phase is 'odd', none that a client knows; "
        "a client skips the line"
    )
