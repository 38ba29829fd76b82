"""Faults that can be put into a healthy session, and the rules that may tell of each."""

import random
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from uuid import UUID

from healthy import Lines, number


@dataclass
class Hurt:
    at: int  # index of the line that is wrong
    change: Callable[[bytes], bytes] = bytes  # what becomes of it, line end included


Fault = Callable[[Lines, random.Random], Hurt]


def pick(lines: Lines, rng: random.Random, *kinds: str) -> int:
    """A line of the kind, neither among the first nor the last ones."""
    return rng.choice(
        [i for i, x in enumerate(lines) if x.kind in kinds and 3 < i < len(lines) - 4]
    )


def partner(lines: Lines, at: int, kind: str) -> int:
    return next(i for i, x in enumerate(lines) if x.kind == kind and x.call == lines[at].call)


def take_out(lines: Lines, at: int) -> None:
    """The chain is closed over the gap: only the pair is broken."""
    gone = lines.pop(at).obj
    for line in lines:
        if "uuid" in gone and line.obj.get("parentUuid") == gone["uuid"]:
            line.obj["parentUuid"] = gone["parentUuid"]


def on_bytes(change: Callable[[bytes], bytes], *kinds: str) -> Fault:
    return lambda lines, rng: Hurt(pick(lines, rng, *kinds), change)


def half_pair(line: bytes) -> bytes:
    return line.replace(b" ", b"\\ud83d", 1)


def torn_tail(lines: Lines, rng: random.Random) -> Hurt:
    return Hurt(len(lines) - 1, lambda line: line[: len(line) * 2 // 3])


def orphan_call(lines: Lines, rng: random.Random) -> Hurt:
    at = pick(lines, rng, "result")
    call = partner(lines, at, "call")
    take_out(lines, at)
    return Hurt(call)


def orphan_result(lines: Lines, rng: random.Random) -> Hurt:
    at = pick(lines, rng, "call")
    result = lines[partner(lines, at, "result")]
    take_out(lines, at)
    return Hurt(lines.index(result))


def id_mismatch(lines: Lines, rng: random.Random) -> Hurt:
    at = pick(lines, rng, "result")
    obj = lines[at].obj
    block = obj["payload"] if "payload" in obj else obj["message"]["content"][0]
    block["call_id" if "payload" in obj else "tool_use_id"] += "0"
    return Hurt(at)


def dup_result(lines: Lines, rng: random.Random) -> Hurt:
    at = pick(lines, rng, "result")
    again = deepcopy(lines[at])
    if "uuid" in again.obj:
        again.obj["uuid"] = str(UUID(int=rng.getrandbits(128), version=4))
    lines.insert(at + 1, again)
    return Hurt(at + 1)


def dup_record(lines: Lines, rng: random.Random) -> Hurt:
    at = pick(lines, rng, "prompt", "reply")
    lines.insert(at + 1, deepcopy(lines[at]))
    return Hurt(at + 1)


def result_before_call(lines: Lines, rng: random.Random) -> Hurt:
    at = pick(lines, rng, "result")
    call = partner(lines, at, "call")
    lines.insert(call, lines.pop(at))
    return Hurt(call)


def missing_parent(lines: Lines, rng: random.Random) -> Hurt:
    at = pick(lines, rng, "prompt", "reply")
    lines[at].obj["parentUuid"] = str(UUID(int=rng.getrandbits(128), version=4))
    return Hurt(at)


def parent_cycle(lines: Lines, rng: random.Random) -> Hurt:
    at = pick(lines, rng, "reply")
    up = partner(lines, at - 1, "call")
    lines[up].obj["parentUuid"] = lines[at].obj["uuid"]
    return Hurt(up)


def dup_uuid_conflict(lines: Lines, rng: random.Random) -> Hurt:
    first, later = (x for x in (lines[1].obj, lines[pick(lines, rng, "prompt", "reply")].obj))
    for line in lines:
        if line.obj.get("parentUuid") == later["uuid"]:
            line.obj["parentUuid"] = first["uuid"]
    later["uuid"] = first["uuid"]
    return Hurt(next(i for i, x in enumerate(lines) if x.obj is later))


def bad_call(key: str, value: str) -> Fault:
    def hurt(lines: Lines, rng: random.Random) -> Hurt:
        at = pick(lines, rng, "call")
        lines[at].obj["payload"][key] = value
        return Hurt(at)

    return hurt


def meta_missing(lines: Lines, rng: random.Random) -> Hurt:
    del lines[0]
    return Hurt(0)


def ord_dup(lines: Lines, rng: random.Random) -> Hurt:
    number(lines)
    at = pick(lines, rng, "prompt", "reply")
    lines[at].obj["ordinal"] = at - 1
    return Hurt(at)


def ord_swap(lines: Lines, rng: random.Random) -> Hurt:
    number(lines)
    at = pick(lines, rng, "prompt", "reply")
    lines[at].obj["ordinal"], lines[at - 1].obj["ordinal"] = at - 1, at
    return Hurt(at)


def ord_missing_tail(lines: Lines, rng: random.Random) -> Hurt:
    number(lines)
    del lines[-1].obj["ordinal"]
    return Hurt(len(lines) - 1)


PAIRS: dict[str, tuple[Fault, set[str]]] = {
    "torn tail": (torn_tail, {"torn-tail"}),
    "half a line": (on_bytes(lambda b: b[: len(b) // 2] + b"\n", "reply"), {"bad-json", "splice"}),
    "no line end": (on_bytes(lambda b: b[:-1], "reply"), {"missing-newline", "splice"}),
    "NULs": (on_bytes(lambda b: b"\0" * 512 + b, "reply"), {"nul-region"}),
    "not UTF-8": (on_bytes(lambda b: b.replace(b" ", b"\xff\xfe", 1), "reply"), {"invalid-utf8"}),
    "half a pair": (on_bytes(half_pair, "reply"), {"lone-surrogate"}),
    "no result": (orphan_call, {"orphan-call-mid", "orphan-call-tail", "partial-parallel"}),
    "no call": (orphan_result, {"orphan-result"}),
    "other id": (id_mismatch, {"orphan-result"}),
    "result again": (dup_result, {"duplicate-result"}),
    "record again": (dup_record, {"dup-block", "duplicate-event"}),
    "result first": (result_before_call, {"result-before-call"}),
}  # fmt: skip
FAULTS: dict[str, dict[str, tuple[Fault, set[str]]]] = {
    "claude": PAIRS
    | {
        "lost parent": (missing_parent, {"dangling-parent"}),
        "circle": (parent_cycle, {"cycle"}),
        "shared id": (dup_uuid_conflict, {"id-collision"}),
    },
    "legacy": PAIRS
    | {
        "no header": (meta_missing, {"session-meta-missing"}),
        "NUL in a name": (bad_call("name", "exec\0command"), {"malformed-call"}),
        "half arguments": (bad_call("arguments", '{"cmd": "l'), {"malformed-call"}),
    },
    "paginated": PAIRS
    | {
        "ordinal twice": (ord_dup, {"ordinal-duplicate"}),
        "ordinals swapped": (ord_swap, {"ordinal-backwards"}),
        "no ordinal": (ord_missing_tail, {"ordinal-missing"}),
    },
}
