"""A patched file as stretches: what each patch put there, and the original bytes between them."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from msgspec import Struct

from suture.model.edit import Copy


class Patch(Struct, frozen=True):
    offset: int  # in the original
    length: int
    after: tuple[bytes | Copy, ...]  # Copy: of the original
    step: int

    @property
    def end(self) -> int:
        return self.offset + self.length


def size(after: Sequence[bytes | Copy]) -> int:
    return sum(part.length if isinstance(part, Copy) else len(part) for part in after)


def render(after: Sequence[bytes | Copy], original: memoryview) -> bytes:
    return b"".join(
        bytes(original[part.offset : part.offset + part.length]) if isinstance(part, Copy) else part
        for part in after
    )


class Layout:
    """Where the patches lie in the patched file. Numbers, and no object a stretch: a log that is
    numbered again has a patch a record."""

    def __init__(self, patches: Sequence[Patch]) -> None:
        self.patches: list[Patch] = []
        self.starts, self.ends = array("q"), array("q")
        shift = 0
        for patch in patches:
            start = patch.offset + shift
            self.push(patch, start)
            shift += self.ends[-1] - start - patch.length

    def push(self, patch: Patch, start: int) -> None:
        self.patches.append(patch)
        self.starts.append(start)
        self.ends.append(start + size(patch.after))

    def cut(self, number: int) -> list[Patch]:
        """Take the patches from that one on out."""
        gone = self.patches[number:]
        for column in (self.patches, self.starts, self.ends):
            del column[number:]
        return gone

    def touched(self, start: int, end: int) -> range:
        """Patches that hold a byte of the stretch, or end or start at one of its ends."""
        return range(bisect_left(self.ends, start), bisect_right(self.starts, end))

    def at(self, offset: int) -> tuple[int, bool]:
        """The last patch that starts there or before, and whether it holds the byte. One that only
        takes bytes out holds none."""
        number = bisect_right(self.starts, offset) - 1
        return number, number >= 0 and offset < self.ends[number]

    def behind(self, number: int, offset: int) -> int:
        """Where a byte between that patch and the next one stands in the original; -1: before the
        first."""
        if number < 0:
            return offset
        return offset - self.ends[number] + self.patches[number].end

    def text(self, number: int, start: int, end: int, original: memoryview) -> bytes:
        """What of the patched bytes [start, end) a patch put there."""
        low = self.starts[number]
        first, last = max(start, low), min(end, self.ends[number])
        if first >= last:
            return b""
        return render(self.patches[number].after, original)[first - low : last - low]

    def carried(self, part: bytes | Copy, original: memoryview) -> bytes | Copy:
        """A copy of patched bytes as a copy of original ones, or as the bytes themselves."""
        if not isinstance(part, Copy):
            return part
        at, end, parts = part.offset, part.offset + part.length, list[bytes | Copy]()
        for number in self.touched(at, end):
            if at < self.starts[number]:
                parts.append(Copy(self.behind(number - 1, at), self.starts[number] - at))
            parts.append(self.text(number, at, end, original))
            at = max(at, self.ends[number])
        if at < end or not parts:
            parts.append(Copy(self.behind(bisect_right(self.ends, at) - 1, at), end - at))
        whole = [one for one in parts if one != b""]
        return whole[0] if len(whole) == 1 else render(whole, original)
