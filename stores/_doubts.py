"""Lines that are odd though a decoder of JSON takes them: a look at a block tells of all of it."""

from collections.abc import Callable
from typing import TypeVar

from msgspec import Struct

from suture.stores._blocks import Block
from suture.stores._encoding import is_utf8
from suture.stores._shadow import MOST_DEPTH, depth

T = TypeVar("T")
# Deep nesting, written without blanks, ends in so many brackets that every STEP-th byte shows some.
_STEP = MOST_DEPTH // 8
_CLOSERS = b"]" * 7
_ONE_CLOSER = bytes(93 if byte == 125 else byte for byte in range(256))


class _Odd(ValueError):
    """A line that the fast decoder would accept, and should not."""


class Doubts(Struct, frozen=True):
    """What one look at a block says about all of its lines."""

    returns: bool
    encoding: bool
    nesting: bool

    @property
    def any(self) -> bool:
        return self.returns or self.encoding or self.nesting

    def check(self, raw: bytes) -> None:
        if self.encoding and not is_utf8(raw):
            raise _Odd
        if self.nesting and len(raw) > 2 * MOST_DEPTH and depth(raw) > MOST_DEPTH:
            raise _Odd

    def checked(self, fast: Callable[[bytes], T]) -> Callable[[bytes], T]:
        """Refuses what is odd, as the fast decoder does with other lines."""

        def decode(raw: bytes) -> T:
            if self.returns and raw[-2:] == b"\r\n":
                raise _Odd
            self.check(raw)
            return fast(raw)

        return decode if self.any else fast


def doubts_of(block: Block) -> Doubts:
    text = block.text
    return Doubts(
        returns=b"\r\n" in text if b"\r" in text else False,
        encoding=not is_utf8(text),
        nesting=_CLOSERS in text[::_STEP].translate(_ONE_CLOSER),
    )
