"""Faults in the bytes of a file and in the values of its JSON: what crashes, disks and tools do."""

import json
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

LONE = "\ud800"
DEEP = 700
PLAIN: tuple[Any, ...] = (
    None, True, False, 0, -1, 1.5, 2**31, 2**53 + 1, 2**63, -(2**63), 2**64, 10**40, 1e308,
    "", " ", "x", "\0", "\n", LONE, "a\u2028b", "é" * 300, "%s", "../../etc/passwd", "-1", "0",
    "0000-00-00T00:00:00Z", "9999-12-31T23:59:59.999Z", "2026-03-02T09:00:00", "+275760-09-13",
    "00000000-0000-0000-0000-000000000000", "msg_1", "toolu_1",
    [], {}, [[]], [None], ["x"], [{}], {"": None}, {"type": "text"}, {"type": None}, {"id": 3},
    [{"type": "text", "text": ""}], [{"type": "tool_use"}], [{"type": "tool_result", "content": 1}],
)  # fmt: skip
RAW = (
    b"NaN",
    b"-Infinity",
    b"1e999",
    b"-0.0",
    b"9" * 5000,
    b"[" * DEEP + b"]" * DEEP,
    b'"\\ud83d"',
)
_MARK = "suture-fuzz-hole"
_HOLE = json.dumps(_MARK).encode()
Slots = list[tuple[Any, Any]]  # a container, and the key or index in it


def odd_value(raw: bytes, random: Random) -> bytes:
    """One value of the document is something else."""
    return _in_document(raw, random, _other_value)


def moved_value(raw: bytes, random: Random) -> bytes:
    """One value is that of another key: ids that name the wrong thing, or the same thing."""

    def move(slots: Slots, random: Random) -> bytes | None:
        (to, key), (source, other) = random.choice(slots), random.choice(slots)
        to[key] = json.loads(json.dumps(source[other]))
        return None

    return _in_document(raw, random, move)


def lost_key(raw: bytes, random: Random) -> bytes:
    def lose(slots: Slots, random: Random) -> bytes | None:
        container, key = random.choice(slots)
        del container[key]
        return None

    return _in_document(raw, random, lose)


def key_twice(raw: bytes, random: Random) -> bytes:
    """The first key of the line stands again at its end, with another value."""
    start, _, rest = raw.partition(b":")
    if not start.startswith(b'{"') or not rest.endswith(b"}"):
        return raw
    return raw[:-1] + b"," + start[1:] + b":" + _json(random.choice(PLAIN)) + b"}"


def _other_value(slots: Slots, random: Random) -> bytes | None:
    container, key = random.choice(slots)
    if random.randrange(5) == 0:
        container[key] = _MARK
        return random.choice(RAW)
    container[key] = random.choice(PLAIN)
    return None


def _in_document(
    raw: bytes, random: Random, change: Callable[[Slots, Random], bytes | None]
) -> bytes:
    """`change` works on the slots of the document in `raw`; what it returns fills the hole it left.
    Bytes that hold no document stay as they are."""
    try:
        document = json.loads(raw)
    except (ValueError, RecursionError):
        return raw
    slots = list(_slots(document))
    if not slots:
        return raw
    hole = change(slots, random)
    try:
        made = _json(document)
    except (ValueError, RecursionError):
        return raw
    return made if hole is None else made.replace(_HOLE, hole)


def _json(value: object) -> bytes:
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return text.encode("utf-8", "surrogatepass")


def _slots(value: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(value, dict | list):
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        for key in keys:
            yield value, key
            yield from _slots(value[key])


def in_line(change: Callable[[bytes, Random], bytes]) -> Callable[[bytes, Random], bytes]:
    """Done to one line of a file, or to the file as a whole where it is one document."""

    def changed(data: bytes, random: Random) -> bytes:
        lines = data.split(b"\n")
        if len(lines) < 3:
            return change(data, random)
        n = random.randrange(len(lines) - 1)
        lines[n] = change(lines[n], random)
        return b"\n".join(lines)

    return changed


def _lines(change: Callable[[list[bytes], Random], None]) -> Callable[[bytes, Random], bytes]:
    def changed(data: bytes, random: Random) -> bytes:
        lines = data.split(b"\n")
        change(lines, random)
        return b"\n".join(lines)

    return changed


def _repeat(lines: list[bytes], random: Random) -> None:
    start = random.randrange(len(lines))
    lines[random.randrange(len(lines) + 1) : 0] = lines[start : start + random.randint(1, 3)]


def _remove(lines: list[bytes], random: Random) -> None:
    start = random.randrange(len(lines))
    del lines[start : start + random.randint(1, 3)]


def _swap(lines: list[bytes], random: Random) -> None:
    a, b = random.randrange(len(lines)), random.randrange(len(lines))
    lines[a], lines[b] = lines[b], lines[a]


def _splice(lines: list[bytes], random: Random) -> None:
    """The start of one line, and then another one, or its end."""
    a, b = random.choice(lines), random.choice(lines)
    cut = a[: random.randint(0, len(a))]
    lines[random.randrange(len(lines))] = cut + b[random.choice((0, random.randint(0, len(b)))) :]


def _flip(data: bytes, random: Random) -> bytes:
    made = bytearray(data)
    for _ in range(random.choice((1, 1, 1, 8)) if made else 0):
        made[random.randrange(len(made))] ^= 1 << random.randrange(8)
    return bytes(made)


def _cut(data: bytes, random: Random) -> bytes:
    return data[: random.randint(0, len(data))]


def _hole(data: bytes, random: Random) -> bytes:
    start = random.randint(0, len(data))
    return data[:start] + data[start + random.randint(1, 64) :]


def _insert(data: bytes, random: Random) -> bytes:
    what = random.choice(
        (bytes(random.randint(1, 4096)), b"\n", b"\r\n", b'"', b"{", b"}", b"[", b"\\", b"\xff",
         b"\xef\xbb\xbf", b"{" * DEEP, b"[" * DEEP, b"\x1b[2J", b"null\n", b"3", b"\n\n\n", b"{}\n",
         b'{"type":"')
    )  # fmt: skip
    at = random.randint(0, len(data))
    over = random.choice((0, len(what)))
    return data[:at] + what + data[at + over :]


BYTES: dict[str, Callable[[bytes, Random], bytes]] = {
    "odd-value": in_line(odd_value),
    "moved-value": in_line(moved_value),
    "lost-key": in_line(lost_key),
    "key-twice": in_line(key_twice),
    "repeat": _lines(_repeat),
    "remove": _lines(_remove),
    "swap": _lines(_swap),
    "splice": _lines(_splice),
    "flip": _flip,
    "cut": _cut,
    "hole": _hole,
    "insert": _insert,
}
