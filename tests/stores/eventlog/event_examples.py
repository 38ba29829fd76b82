"""Payloads of every type that fit, and values that do not, key by key."""

from collections.abc import Callable
from typing import Any

TIME = "2026-03-02T09:14:00.250Z"
DIGEST = "0" * 64
BLOCKS = [{"type": "text", "text": "hello"}, {"type": "image", "source": {"data": "…"}}]

VALID: dict[str, list[dict[str, Any]]] = {
    "session.created": [
        {"session_id": "s", "principal": "user:ada", "created_at": TIME, "lineage": None},
        {"session_id": "s", "created_at": TIME, "lineage": {"parent": "p", "fork_ordinal": 4}},
    ],
    "session.configured": [{}, {"model": "m", "cwd": None, "anything": [1]}],
    "session.forked": [{"session_id": "t", "at_ordinal": 3}],
    "session.interrupted": [{"generation": 1, "historical": True, "turn_id": None}],
    "session.closed": [{}, {"reason": "exit"}],
    "turn.started": [{"turn_id": "t", "trigger": "in-1"}],
    "turn.ended": [{"turn_id": "t", "status": status} for status in ("complete", "aborted")],
    "input.queued": [{"input_id": "i", "content": "go"}, {"input_id": "i", "content": BLOCKS}],
    "input.consumed": [{"input_id": "i"}],
    "step.started": [{"step_id": "s", "turn_id": "t", "context": {"version": 0, "ordinal": 3}}],
    "step.completed": [
        {"step_id": "s", "finish_reason": "stop", "usage": {"output_tokens": 3}},
        {"step_id": "s", "usage": None},
    ],
    "message.appended": [
        {"message_id": "m", "role": "user", "content": "", "status": "complete"},
        {"message_id": "m", "role": "assistant", "content": BLOCKS, "status": "complete"},
    ],
    "tool.proposed": [
        {"call_id": "c", "step_id": "s", "name": "deploy", "arguments": {"a": 1.5}},
        {"call_id": "c", "name": "", "arguments": None, "approval": "required"},
    ],
    "tool.approved": [{"call_id": "c", "by": "policy"}],
    "tool.denied": [{"call_id": "c", "by": "user:ada"}],
    "tool.started": [{"call_id": "c"}],
    "tool.finished": [
        {"call_id": "c", "status": "ok", "result": [1]},
        {"call_id": "c", "status": "unknown", "artifact": "out.txt", "suture": {"x": 1}},
    ],
    "artifact.stored": [
        {"uri": "out.txt", "sha256": DIGEST, "bytes": 0, "summary": None, "call_id": "c"},
        {"uri": "out.txt", "sha256": f"sha256:{DIGEST}", "bytes": 12},
    ],
    "context.compacted": [
        {
            "version": 1,
            "entries": [
                {"kind": "summary", "original_ordinals": [1, 2], "content": "they met"},
                {"kind": "original", "original_ordinals": [3]},
            ],
        }
    ],
    "plan.versioned": [{"version": 0, "steps": ["a"]}],
}

# What each wrong value is put in the place of, found by its key in a valid payload.
WRONG: dict[str, list[Any]] = {
    "session_id": ["", 1, None],
    "created_at": ["yesterday", 5, "2026-03-02 09:14:00Z"],
    "lineage": [{"parent": "p"}, "p", {"parent": "", "fork_ordinal": 1}],
    "at_ordinal": [-1, "3", 2**53],
    "generation": [0, "1", True, 1.5],
    "historical": ["yes", None, 1],
    "reason": [1],
    "model": [{}],
    "cwd": [1],
    "turn_id": ["", 7, []],
    "trigger": [False],
    "status": [None, 1, ""],
    "input_id": ["", None],
    "content": [1, [{"text": "no type"}], ["text"]],
    "step_id": [0, ""],
    "finish_reason": [["stop"]],
    "usage": [[], {"output_tokens": -1}, {"output_tokens": "3"}],
    "message_id": [None],
    "role": [None, ""],
    "call_id": ["", 1],
    "name": [None, 1],
    "approval": ["maybe"],
    "by": [1],
    "artifact": [{}],
    "uri": ["", None],
    "sha256": ["abc", DIGEST[1:], DIGEST.replace("0", "G")],
    "bytes": [-1, "1", 2**53],
    "summary": [3],
    "version": ["1", -1, None],
    "entries": [{}, [{"kind": "other", "original_ordinals": [1]}], [{"kind": "summary"}]],
    "principal": [4],
}


def valid() -> list[tuple[str, dict[str, Any]]]:
    return [(kind, payload) for kind, payloads in VALID.items() for payload in payloads]


Example = tuple[str, dict[str, Any], bool]


def examples(required: Callable[[str], list[str]]) -> list[Example]:
    """(type, payload, whether it fits)."""
    found: list[Example] = []
    for kind, payload in valid():
        found.append((kind, payload, True))
        for key in required(kind):
            found.append((kind, {k: v for k, v in payload.items() if k != key}, False))
        for key in payload:
            found += [(kind, {**payload, key: wrong}, False) for wrong in WRONG.get(key, [])]
    return found
