"""Made-up words, sizes, ids and times that are the same for the same seed."""

import math
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from random import Random
from uuid import UUID

_WORDS = """
the of and to in is file error test run build value return import class def self path none true
index session record token stream buffer parse write read commit branch merge diff patch line
column table query select from where group order join index key cache page block chunk offset
length hash tree node edge graph check repair plan apply undo export schema event call result
output input arg env shell
"""
# What real output is full of and what readers stumble over: wide characters, escape sequences,
# quotes and backslashes, and U+2028, which ends a line for some string functions.
_EXOTIC = [
    "→",
    "é",
    "ü",
    "漢字",
    "🙂",
    "\x1b[32mok\x1b[0m",
    '"quoted"',
    "C:\\tmp\\x",
    "\t",
    "—",
    "\u2028",
]
_BASE62 = "0123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


@cache
def _prose(characters: int = 4_000_000) -> str:
    random = Random(7)
    vocabulary = _WORDS.split()
    words: list[str] = []
    size = 0
    while size < characters:
        share = random.random()
        if share < 0.01:
            word = random.choice(_EXOTIC)
        elif share < 0.09:
            word = "\n"
        else:
            word = random.choice(vocabulary)
        words.append(word)
        size += len(word) + 1
    return " ".join(words)


@dataclass(slots=True)
class Inventor:
    random: Random
    clock: datetime = field(default_factory=lambda: datetime(2026, 8, 1, tzinfo=UTC))

    def text(self, characters: int) -> str:
        prose = _prose()
        start = self.random.randrange(0, len(prose) - characters)
        return prose[start : start + characters]

    def output(self) -> str:
        """What a tool printed: half of the outputs are under 1 KB, few reach 200 KB."""
        size = int(self.random.lognormvariate(math.log(1024), 1.6))
        return self.text(min(200_000, max(20, size)))

    def time(self) -> str:
        self.clock += timedelta(milliseconds=self.random.randrange(20, 9000))
        return self.clock.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def uuid(self) -> str:
        return str(UUID(int=self.random.getrandbits(128), version=4))

    def base62(self, length: int) -> str:
        return "".join(self.random.choice(_BASE62) for _ in range(length))

    def parallel(self) -> int:
        """How many calls a model makes at once."""
        return self.random.choices([1, 2, 3, 5], [75, 15, 7, 3])[0]
