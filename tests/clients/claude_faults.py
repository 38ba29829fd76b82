"""Faults put into a healthy transcript of Claude Code, each with what no repair can bring back.

The transcript is that of `scenes.worked`. What is lost goes with something on the line that
the plan must name for it, or with None where it must name the call id.
"""

import json
import re
from typing import Any

from damage_done import Fault, Lines, find
from pictures import png
from scenes import THREE


def reply(lines: Lines, text: str) -> int:
    return find(lines, '"type":"assistant"', f'"text":"{text}"')


def prompt(lines: Lines, text: str) -> int:
    return find(lines, '"type":"user"', f'"content":"{text}"')


def call(lines: Lines, command: str) -> int:
    return find(lines, '"type":"tool_use"', f'"command":"{command}"')


def result(lines: Lines, output: str) -> int:
    return find(lines, '"type":"tool_result"', f'"content":"{output}"')


def changed(line: bytes, **values: Any) -> bytes:
    """As the client writes it: compact, not escaped."""
    record = json.loads(line) | values
    return json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def uuid(line: bytes) -> str:
    return str(json.loads(line)["uuid"])


def aged(lines: Lines, before: int) -> Lines:
    """Everything before a line an hour older: a client bridges no gap that wide."""
    return [
        line.replace(b'"timestamp":"20', b'"timestamp":"19') if number < before else line
        for number, line in enumerate(lines)
    ]


def cut_last_text(lines: Lines) -> Lines:
    last = reply(lines, "Counted.")
    return [*lines[:last], lines[last][:-40]]


def cut_last_result(lines: Lines) -> Lines:
    last = result(lines, "three")
    return [*lines[:last], lines[last][:60]]


def cut_middle_result(lines: Lines) -> Lines:
    at = result(lines, "three")
    return [*lines[:at], lines[at][:60] + b"\n", *lines[at + 1 :]]


def stub_before_record(lines: Lines) -> Lines:
    """A torn write, and the next process appended to it."""
    at = result(lines, "three")
    return [*lines[:at], lines[at][:60] + lines[at + 1], *lines[at + 2 :]]


def nul_result(lines: Lines) -> Lines:
    at = result(lines, "three")
    return [*lines[:at], bytes(len(lines[at]) - 1) + b"\n", *lines[at + 1 :]]


def nul_tail(lines: Lines) -> Lines:
    return [*lines, bytes(512)]


def nul_before_record(lines: Lines) -> Lines:
    at = result(lines, "three")
    return [*lines[:at], bytes(64) + lines[at], *lines[at + 1 :]]


def no_result(lines: Lines) -> Lines:
    at = result(lines, "three")
    return [*lines[:at], *lines[at + 1 :]]


def no_result_chain_closed(lines: Lines) -> Lines:
    at, made = result(lines, "three"), call(lines, THREE)
    gone, parent = uuid(lines[at]).encode(), uuid(lines[made]).encode()
    return [line.replace(gone, parent) for line in [*lines[:at], *lines[at + 1 :]]]


def no_parallel_result(lines: Lines) -> Lines:
    at = result(lines, "two")
    return [*lines[:at], *lines[at + 1 :]]


def no_call(lines: Lines) -> Lines:
    at = call(lines, THREE)
    return [*lines[:at], *lines[at + 1 :]]


def no_reply(lines: Lines) -> Lines:
    at = reply(lines, "Both seen.")
    return aged([*lines[:at], *lines[at + 1 :]], at)


def call_id_twice(lines: Lines) -> Lines:
    old = json.loads(lines[call(lines, THREE)])["message"]["content"][0]["id"]
    new = json.loads(lines[call(lines, "echo one")])["message"]["content"][0]["id"]
    return [line.replace(old.encode(), new.encode()) for line in lines]


def unknown_parent(lines: Lines) -> Lines:
    at = prompt(lines, "Then count.")
    broken = changed(lines[at], parentUuid="00000000-0000-4000-8000-000000000000")
    return aged([*lines[:at], broken, *lines[at + 1 :]], at)


def cycle(lines: Lines) -> Lines:
    at = prompt(lines, "Then count.")
    below = uuid(lines[call(lines, THREE)])
    return aged([*lines[:at], changed(lines[at], parentUuid=below), *lines[at + 1 :]], at)


def glued(lines: Lines) -> Lines:
    at = call(lines, THREE)
    return [*lines[:at], lines[at][:-1] + lines[at + 1], *lines[at + 2 :]]


def no_final_line_end(lines: Lines) -> Lines:
    last = reply(lines, "Counted.")
    return [*lines[:last], lines[last][:-1]]


def broken_line(lines: Lines) -> Lines:
    """A line feed inside a string."""
    at = reply(lines, "Both seen.")
    return aged([*lines[:at], lines[at].replace(b"Both ", b"Both\n"), *lines[at + 1 :]], at)


def invalid_utf8(lines: Lines) -> Lines:
    at = result(lines, "three")
    bad = lines[at].replace(b'"content":"three"', b'"content":"th\xff\xfeee"')
    return [*lines[:at], bad, *lines[at + 1 :]]


def lone_surrogate(lines: Lines) -> Lines:
    at = result(lines, "three")
    bad = lines[at].replace(b'"content":"three"', b'"content":"three\\ud83d"')
    return [*lines[:at], bad, *lines[at + 1 :]]


def result_twice(lines: Lines) -> Lines:
    at = result(lines, "three")
    return [*lines[: at + 1], lines[at], *lines[at + 1 :]]


def another_result(lines: Lines) -> Lines:
    """A placeholder that stands before the real result, as a client puts it there."""
    at = result(lines, "three")
    record = json.loads(lines[at])
    record["uuid"] = "11111111-1111-4111-8111-111111111111"
    text = "[Request interrupted by user for tool use]"
    record["message"]["content"][0] |= {"content": text, "is_error": True}
    record["toolUseResult"] = "Error: " + text
    first = json.dumps(record, separators=(",", ":")).encode() + b"\n"
    return [*lines[:at], first, *lines[at:]]


def result_before_call(lines: Lines) -> Lines:
    at = call(lines, THREE)
    return [*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]]


def byte_order_mark(lines: Lines) -> Lines:
    return [b"\xef\xbb\xbf" + lines[0], *lines[1:]]


def copied_tail(lines: Lines) -> Lines:
    at = prompt(lines, "First look around.")
    return [*lines, *lines[at : reply(lines, "Both seen.") + 1]]


def empty_text(lines: Lines) -> Lines:
    """Beside a call: where it is sent, the provider refuses it."""
    at = call(lines, THREE)
    empty = b'"content":[{"type":"text","text":""},{'
    return [*lines[:at], lines[at].replace(b'"content":[{', empty, 1), *lines[at + 1 :]]


def oversized_image(lines: Lines) -> Lines:
    """More than the provider takes: 5 MB in base64."""
    at = prompt(lines, "Then count.")
    source = {"type": "base64", "media_type": "image/png", "data": png(4_500_000)}
    image = {"type": "image", "source": source}
    content = [{"type": "text", "text": "Then count."}, image]
    return [
        *lines[:at],
        changed(lines[at], message={"role": "user", "content": content}),
        *lines[at + 1 :],
    ]


def results_without_uuid(lines: Lines) -> Lines:
    """Both of a batch, what followed hangs on the call: of two such lines the last one counts."""
    for output, command in (("one", "echo one"), ("two", "echo two")):
        at, made = result(lines, output), uuid(lines[call(lines, command)])
        gone = uuid(lines[at])
        lines = [line.replace(gone.encode(), made.encode()) for line in _unnamed(lines, at)]
    return lines


def last_text_without_uuid(lines: Lines) -> Lines:
    return _unnamed(lines, reply(lines, "Counted."))


def prompt_without_uuid(lines: Lines) -> Lines:
    """What hung on it names a parent that no record has."""
    at = prompt(lines, "Then count.")
    return aged(_unnamed(lines, at), at + 1)


def _unnamed(lines: Lines, at: int) -> Lines:
    record = json.loads(lines[at])
    del record["uuid"]
    line = json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
    return [*lines[:at], line, *lines[at + 1 :]]


def stale_leaf(lines: Lines) -> Lines:
    """The last pointer names the first try of a prompt that was asked again."""
    at, leaf = prompt(lines, "Then count."), reply(lines, "Both seen.")
    old = changed(
        lines[leaf],
        uuid="22222222-2222-4222-8222-222222222222",
        parentUuid=uuid(lines[leaf]),
    ).replace(b"Both seen.", b"A dead end.")
    old = re.sub(rb'"id":"msg_[^"]*"', b'"id":"msg_dead"', old)
    pointer = {
        "type": "last-prompt",
        "leafUuid": "22222222-2222-4222-8222-222222222222",
        "sessionId": json.loads(lines[at])["sessionId"],
    }
    line = json.dumps(pointer, separators=(",", ":")).encode() + b"\n"
    return [*lines[:at], old, *lines[at:], line]


def unknown_type_in_chain(lines: Lines) -> Lines:
    at = reply(lines, "Both seen.")
    link = changed(
        lines[at], type="novelty", uuid="33333333-3333-4333-8333-333333333333", message=None
    )
    link = changed(link, parentUuid=uuid(lines[at]))
    after = prompt(lines, "Then count.")
    hung = changed(lines[after], parentUuid="33333333-3333-4333-8333-333333333333")
    return aged([*lines[: at + 1], link, *lines[at + 1 : after], hung, *lines[after + 1 :]], after)


def text_for_blocks(lines: Lines) -> Lines:
    at = reply(lines, "Both seen.")
    record = json.loads(lines[at])
    record["message"]["content"] = "Both seen."
    return [*lines[:at], changed(lines[at], message=record["message"]), *lines[at + 1 :]]


COUNTED = "assistant Counted."
SEEN = "assistant Both seen."
UNKNOWN = f"result {THREE}"

FAULTS = (
    Fault("last-text-cut", cut_last_text, {COUNTED: b"Counted."}),
    Fault("last-result-cut", cut_last_result, {UNKNOWN: None}, absent=[COUNTED]),
    Fault("middle-result-cut", cut_middle_result, {UNKNOWN: None}),
    Fault("stub-before-record", stub_before_record, {UNKNOWN: None}),
    Fault("nul-result", nul_result, {UNKNOWN: None}),
    Fault("nul-tail", nul_tail),
    Fault("nul-before-record", nul_before_record),
    Fault("no-result", no_result, {UNKNOWN: None}),
    Fault("no-result-chain-closed", no_result_chain_closed, {UNKNOWN: None}),
    Fault("no-parallel-result", no_parallel_result, {"result echo two": None}),
    Fault("no-call", no_call, {UNKNOWN: None, f"call {THREE}": None}),
    Fault("no-reply", no_reply, {SEEN: b'"role":"user","content":"Then count."'}),
    Fault("call-id-twice", call_id_twice),
    Fault("unknown-parent", unknown_parent),
    Fault("cycle", cycle),
    Fault("glued", glued),
    Fault("broken-line", broken_line, becomes={SEEN: ("Both ", "Both\n")}),
    Fault("invalid-utf8", invalid_utf8, becomes={UNKNOWN: ("three", "th\ufffd\ufffdee")}),
    Fault("lone-surrogate", lone_surrogate, becomes={UNKNOWN: ("three", "three\ufffd")}),
    Fault("result-twice", result_twice),
    Fault("placeholder-before-result", another_result),
    Fault("result-before-call", result_before_call),
    Fault("byte-order-mark", byte_order_mark),
    Fault("copied-tail", copied_tail),
    Fault("stale-leaf", stale_leaf),
    Fault("empty-text", empty_text),
    Fault("oversized-image", oversized_image),
    Fault("unknown-type-in-chain", unknown_type_in_chain),
    Fault("results-without-uuid", results_without_uuid, whole=True),
    Fault("last-text-without-uuid", last_text_without_uuid, whole=True),
    Fault("prompt-without-uuid", prompt_without_uuid, whole=True),
)
