"""Faults put into a healthy rollout of Codex; the rollout is that of `scenes.worked`."""

import json

from damage_done import Fault, Lines, find
from scenes import THREE

OUTPUT = '"type":"function_call_output"'


def call(lines: Lines, command: str) -> int:
    return find(lines, '"type":"function_call"', command)


def output(lines: Lines, command: str) -> int:
    made = json.loads(lines[call(lines, command)])["payload"]["call_id"]
    return find(lines, OUTPUT, made)


def reply(lines: Lines, text: str) -> int:
    return find(lines, '"response_item"', '"role":"assistant"', text)


def put(lines: Lines, at: int, *instead: bytes) -> Lines:
    return [*lines[:at], *instead, *lines[at + 1 :]]


def cut_last_event(lines: Lines) -> Lines:
    return [*lines[:-1], lines[-1][:60]]


def cut_last_output(lines: Lines) -> Lines:
    at = output(lines, THREE)
    return [*lines[:at], lines[at][:60]]


def cut_last_text(lines: Lines) -> Lines:
    at = reply(lines, "Counted.")
    return [*lines[:at], lines[at][:-90]]


def cut_middle_output(lines: Lines) -> Lines:
    at = output(lines, THREE)
    return put(lines, at, lines[at][:60] + b"\n")


def stub_before_record(lines: Lines) -> Lines:
    at = output(lines, THREE)
    return [*lines[:at], lines[at][:60] + lines[at + 1], *lines[at + 2 :]]


def nul_output(lines: Lines) -> Lines:
    at = output(lines, THREE)
    return put(lines, at, bytes(len(lines[at]) - 1) + b"\n")


def nul_before_record(lines: Lines) -> Lines:
    at = output(lines, THREE)
    return put(lines, at, bytes(64) + lines[at])


def nul_tail(lines: Lines) -> Lines:
    return [*lines, bytes(512)]


def invalid_utf8(lines: Lines) -> Lines:
    at = output(lines, THREE)
    return put(lines, at, lines[at].replace(b"three\\n", b"th\xff\xfeee\\n"))


def lone_surrogate(lines: Lines) -> Lines:
    at = output(lines, THREE)
    return put(lines, at, lines[at].replace(b"three\\n", b"three\\ud83d\\n"))


def raw_line_end(lines: Lines) -> Lines:
    at = output(lines, THREE)
    return put(lines, at, lines[at].replace(b"three\\n", b"three\n"))


def output_twice(lines: Lines) -> Lines:
    at = output(lines, THREE)
    return put(lines, at, lines[at], lines[at])


def output_before_call(lines: Lines) -> Lines:
    made, at = call(lines, THREE), output(lines, THREE)
    return [*lines[:made], lines[at], *lines[made:at], *lines[at + 1 :]]


def no_output(lines: Lines) -> Lines:
    at = output(lines, THREE)
    return [*lines[:at], *lines[at + 1 :]]


def no_output_nor_event(lines: Lines) -> Lines:
    """Nothing tells any more how it ended."""
    at = output(lines, THREE)
    left = [*lines[:at], *lines[at + 1 :]]
    return [line for line in left if not (b'"CommandExecution"' in line and b"three" in line)]


def no_parallel_output(lines: Lines) -> Lines:
    at = output(lines, "echo two")
    left = [*lines[:at], *lines[at + 1 :]]
    return [line for line in left if not (b'"CommandExecution"' in line and b"two" in line)]


def no_call(lines: Lines) -> Lines:
    at = call(lines, THREE)
    return [*lines[:at], *lines[at + 1 :]]


def call_id_twice(lines: Lines) -> Lines:
    old = json.loads(lines[call(lines, THREE)])["payload"]["call_id"]
    new = json.loads(lines[call(lines, "echo one")])["payload"]["call_id"]
    return [line.replace(old.encode(), new.encode()) for line in lines]


def glued(lines: Lines) -> Lines:
    at = output(lines, THREE)
    return [*lines[:at], lines[at][:-1] + lines[at + 1], *lines[at + 2 :]]


def byte_order_mark(lines: Lines) -> Lines:
    return [b"\xef\xbb\xbf" + lines[0], *lines[1:]]


def no_header(lines: Lines) -> Lines:
    return lines[1:]


def second_header(lines: Lines) -> Lines:
    return [*lines, lines[0].replace(b'"ordinal":0', b'"ordinal":%d' % len(lines))]


def ordinals_jump(lines: Lines) -> Lines:
    at = call(lines, THREE)
    return [*lines[:at], *(_numbered(line, 5) for line in lines[at:])]


def ordinal_twice(lines: Lines) -> Lines:
    """As 0.150 made it: the first record of the second turn repeats the last ordinal."""
    at = find(lines, '"task_complete"', "Both seen.") + 1
    return [*lines[:at], *(_numbered(line, -1) for line in lines[at:])]


def no_ordinals_at_the_end(lines: Lines) -> Lines:
    at = reply(lines, "Counted.")
    return [*lines[:at], *(_numbered(line, None) for line in lines[at:])]


def _numbered(line: bytes, by: int | None) -> bytes:
    number = int(json.loads(line)["ordinal"])
    old = b'"ordinal":%d,' % number
    assert old in line
    return line.replace(old, b"" if by is None else b'"ordinal":%d,' % (number + by), 1)


def unknown_type(lines: Lines) -> Lines:
    at = call(lines, THREE)
    time = json.loads(lines[at])["timestamp"]
    record = {"timestamp": time, "ordinal": at, "type": "novelty", "payload": {}}
    after = [_numbered(line, 1) for line in lines[at:]]
    return [*lines[:at], json.dumps(record, separators=(",", ":")).encode() + b"\n", *after]


COUNTED = "assistant Counted."
LOST = f"result {THREE}"
PROVEN = {LOST: "exit code: 0\naggregated output:\nthree\n"}  # by an event that the client wrote
GAP = ["ordinal-gap"]

FAULTS = (
    Fault("last-event-cut", cut_last_event),
    Fault("last-output-cut", cut_last_output, {LOST: None}, restored=PROVEN, absent=[COUNTED]),
    Fault("last-text-cut", cut_last_text, {COUNTED: b'"output_text","text":"Counted.'}),
    Fault("middle-output-cut", cut_middle_output, {LOST: None}, restored=PROVEN),
    Fault("stub-before-record", stub_before_record, {LOST: None}, restored=PROVEN),
    Fault("nul-output", nul_output, {LOST: None}, restored=PROVEN),
    Fault("nul-before-record", nul_before_record),
    Fault("nul-tail", nul_tail),
    Fault("invalid-utf8", invalid_utf8, becomes={LOST: ("three", "th??ee")}),
    Fault("lone-surrogate", lone_surrogate, becomes={LOST: ("three", "three\ufffd")}),
    Fault("raw-line-end", raw_line_end),
    Fault("output-twice", output_twice),
    Fault("output-before-call", output_before_call),
    Fault("no-output", no_output, {LOST: None}, restored=PROVEN, left=GAP),
    Fault("no-output-nor-event", no_output_nor_event, {LOST: None}, left=GAP),
    Fault("no-parallel-output", no_parallel_output, {"result echo two": None}, left=GAP),
    Fault("no-call", no_call, {LOST: None, f"call {THREE}": None}, left=GAP),
    Fault("call-id-twice", call_id_twice),
    Fault("glued", glued),
    Fault("byte-order-mark", byte_order_mark),
    Fault("no-header", no_header),
    Fault("second-header", second_header),
    Fault("ordinals-jump", ordinals_jump, left=GAP),
    Fault("ordinal-twice", ordinal_twice),
    Fault("no-ordinals-at-the-end", no_ordinals_at_the_end),
    Fault("unknown-type", unknown_type),
)
