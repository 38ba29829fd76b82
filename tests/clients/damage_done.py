"""A fault that a test puts into a healthy session, and what it costs for good."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from facts import Fact, Facts
from scene import Scene

Lines = list[bytes]


@dataclass(frozen=True, slots=True)
class OnDisk:
    """What becomes of a database's own files; opening it would fold its log into it."""

    change: Callable[[Path], None]


Damage = Callable[[Lines], Lines] | str | OnDisk  # what becomes of a transcript's lines, or SQL


@dataclass(frozen=True, slots=True)
class Fault:
    """What is lost goes with something on the line that the plan must name for it, or with None
    where it must name the id of the call."""

    name: str
    damage: Damage
    lost: Mapping[str, bytes | None] = field(default_factory=dict)
    absent: Sequence[str] = ()  # labels of what left no trace: the file ends before it
    becomes: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # label → old, new text
    restored: Mapping[str, str] = field(default_factory=dict)  # label → what evidence proves of it
    left: Sequence[str] = ()  # rules that still find something: there is no right repair
    whole: bool = False  # the repair gives the model what it had been told before the damage
    told: bool = True  # whether check says what is lost on resume; level info tells nothing
    take: Sequence[int] = ()  # repairs that a person has to ask for

    def put_into(self, origin: Scene, home: Path) -> Scene:
        """A copy of the session with this fault in it."""
        scene = origin.copy(home)
        if isinstance(self.damage, str):
            with closing(sqlite3.connect(scene.file)) as database:
                database.executescript(self.damage)
        elif isinstance(self.damage, OnDisk):
            self.damage.change(scene.file)
        else:
            change_lines(scene, self.damage)
        return scene

    def leaves(self, truth: Facts) -> Facts:
        """What the session held, as far as the fault leaves a trace of it."""
        left = {label: fact for label, fact in truth.items() if label not in self.absent}
        for label, (old, new) in self.becomes.items():
            was = left.pop(label)
            named = label.startswith(("call ", "result "))  # by the command, not by the text
            now = label if named else label.replace(old, new)
            left[now] = Fact(now, was.id, was.text.replace(old, new))
        return left

    def lines(self, scene: Scene) -> dict[str, int | None]:
        """The line of each loss in the damaged file, 1-based."""
        data = scene.file.read_bytes().split(b"\n")

        def number(needle: bytes) -> int:
            return next(n for n, line in enumerate(data, 1) if needle in line)

        return {
            label: None if needle is None else number(needle) for label, needle in self.lost.items()
        }


def find(lines: Lines, *needles: str) -> int:
    (number,) = [n for n, line in enumerate(lines) if all(x.encode() in line for x in needles)]
    return number


def change_lines(scene: Scene, change: Callable[[Lines], Lines]) -> None:
    lines = scene.file.read_bytes().splitlines(keepends=True)
    scene.file.write_bytes(b"".join(change(lines)))
