"""One record broken over several lines: where does the object that a line opens close?"""

import re

from msgspec import Struct

from suture.stores._blocks import line_stop
from suture.stores._shadow import shadow_of
from suture.stores._split_line import is_json

_REST_OF_STRING = re.compile(rb'(?:[^"\\]++|\\.)*+"', re.DOTALL)
_TO_TOKEN = re.compile(rb'[^"\[\]{}]*+(["\[\]{}])')
_SPACE = re.compile(rb"[ \t\r]*+")
_MOST_LINES = 2_000
_MOST_BYTES = 64 << 20
_STEP = 4096


class Open(Struct, frozen=True):
    """The state of JSON text that is not finished."""

    depth: int
    in_string: bool


def advance(state: Open, raw: bytes) -> Open | None:
    """The state after one more line; depth 0 when the object closes at its end.

    None when no JSON text goes on like this.
    """
    depth, in_string, pos = state.depth, state.in_string, 0
    while True:
        if in_string:
            closed = _REST_OF_STRING.match(raw, pos)
            if closed is None:
                return Open(depth, True)
            in_string, pos = False, closed.end()
            space = _SPACE.match(raw, pos)
            pos = space.end() if space else pos
            if pos < len(raw) and raw[pos] not in b",:}]":
                return None
        token = _TO_TOKEN.match(raw, pos)
        if token is None:
            return Open(depth, False)
        pos, sign = token.end(), token[1]
        in_string = sign == b'"'
        if not in_string:
            depth += 1 if sign in b"[{" else -1
        if depth == 0 and not in_string:
            return None if raw[pos:].strip(b" \t\r\0") else Open(0, False)


class LookAhead(Struct):
    """Finds the rest of a broken record. The budget keeps a file of stubs linear."""

    data: memoryview
    left: int = 0

    def __post_init__(self) -> None:
        self.left = 4 * len(self.data) + _MOST_BYTES

    def record_stop(self, start: int, stop: int) -> int | None:
        """The end of the line that closes the object opened in the line `start` to `stop`."""
        if stop - start > _MOST_BYTES:
            return None
        state = advance(Open(0, False), bytes(self.data[start:stop]))
        for _ in range(_MOST_LINES):
            if state is None or stop >= len(self.data) or stop - start > _MOST_BYTES:
                return None
            begin, stop = stop + 1, line_stop(self.data, stop + 1, _STEP)
            raw = bytes(self.data[begin:stop])
            self.left -= len(raw) + _STEP
            if self.left < 0 or _stands_alone(raw):
                return None
            state = advance(state, raw)
            if state is not None and state.depth == 0:
                return stop
        return None


def _stands_alone(raw: bytes) -> bool:
    text = raw.strip(b" \t\r\0")
    return text[:1] == b"{" and text[-1:] == b"}" and is_json(shadow_of(text))
