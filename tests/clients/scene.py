"""A home folder with a session that a real client wrote. Tests copy it before they touch it."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import harness
from facts import Facts
from harness import Run
from packages import Client
from stand_in import Step
from ways import WAYS, Ways


@dataclass(frozen=True, slots=True)
class Scene:
    client: Client
    home: Path
    session: str
    bases: tuple[str, ...] = ()  # of a fork that repeats nothing: the sessions that it goes on from

    @property
    def ways(self) -> Ways:
        return WAYS[self.client.name]

    @property
    def file(self) -> Path:
        """The file of the session itself, or the database that it is in."""
        return self.ways.file(self.home, self.session)

    @property
    def truth(self) -> Facts:
        """What the session holds, as it is stored."""
        before = [self.ways.file(self.home, base) for base in self.bases]
        return self.ways.facts([*before, self.file], self.session)

    @property
    def store(self) -> Path:
        """What suture is pointed at."""
        return self.ways.store(self.file)

    def holds(self, text: str) -> bool:
        return holds(self.ways, self.home, text)

    def copy(self, home: Path) -> "Scene":
        """Without what a client unpacks anew; its links lead to places in its own namespace."""
        unpacked = shutil.ignore_patterns("tmp", ".tmp", "skills")
        shutil.copytree(self.home, home, symlinks=True, ignore=unpacked)
        return replace(self, home=home)

    def again(self, prompt: str, *, fork: bool = False) -> list[str]:
        """What the client is told to go on with the session."""
        arguments = self.ways.again(self.session, prompt)
        if fork:
            assert self.ways.forking is not None
            arguments[-1:-1] = self.ways.forking
        return arguments

    def resume(
        self,
        prompt: str,
        *steps: Step,
        fork: bool = False,
        kill_when: Callable[[], bool] | None = None,
    ) -> Run:
        arguments = self.again(prompt, fork=fork)
        return harness.run(self.client, self.home, arguments, steps, kill_when=kill_when)


def start(
    client: Client, home: Path, prompt: str, *steps: Step, stored: str = "", made: str = ""
) -> Scene:
    """A new session. The client is killed once the file `made` exists and `stored` is stored."""
    ways = WAYS[client.name]

    def reached() -> bool:
        return (home / made).exists() and holds(ways, home, stored)

    until = reached if stored or made else None
    harness.run(client, home, ways.new(prompt), steps, kill_when=until)
    (only,) = ways.sessions(home)
    return Scene(client, home, only)


def holds(ways: Ways, home: Path, text: str) -> bool:
    return any(text.encode() in _bytes(path) for path in ways.files(home))


def _bytes(path: Path) -> bytes:
    """Of a file that a running client may take away: SQLite's journals come and go."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""
