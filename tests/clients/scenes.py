"""Sessions that the real clients write, some killed in the middle of their work.

A scene is a home folder and the id of one session in it. Tests copy the folder before they touch
it.
"""

import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import harness
from harness import FLAGS, Run
from packages import Client
from stand_in import Step

STALLED = f"{harness.HOME}/stalled"


@dataclass(frozen=True, slots=True)
class Scene:
    client: Client
    home: Path
    session: str
    base: str | None = None  # of a fork that repeats nothing: the session that it goes on from

    @property
    def lineage(self) -> list[Path]:
        """The files that together hold the session, oldest first."""
        mine = [self.transcript]
        return mine if self.base is None else [self._file(self.base), *mine]

    @property
    def transcript(self) -> Path:
        """The file of the session itself."""
        return self._file(self.session)

    def _file(self, session: str) -> Path:
        below = ".claude/projects" if self.client.name == "claude" else ".codex/sessions"
        (only,) = (self.home / below).rglob(f"*{session}.jsonl")
        return only

    @property
    def store(self) -> Path:
        """What suture is pointed at."""
        return self.transcript.parent if self.client.name == "claude" else self.home / ".codex"

    def copy(self, home: Path) -> "Scene":
        """Without what a client unpacks anew; its links lead to places in its own namespace."""
        unpacked = shutil.ignore_patterns("tmp", ".tmp", "skills")
        shutil.copytree(self.home, home, symlinks=True, ignore=unpacked)
        return replace(self, home=home)

    def resume(
        self,
        prompt: str,
        *steps: Step,
        fork: bool = False,
        kill_when: Callable[[], bool] | None = None,
    ) -> Run:
        if self.client.name == "claude":
            forking = ["--fork-session"] if fork else []
            arguments = ["-p", *FLAGS["claude"], "--resume", self.session, *forking, prompt]
        else:
            assert not fork
            arguments = ["exec", *FLAGS["codex"], "resume", self.session, prompt]
        return harness.run(self.client, self.home, arguments, steps, kill_when=kill_when)


def start(
    client: Client, home: Path, prompt: str, *steps: Step, kill_when: str = "", made: str = ""
) -> Scene:
    """A new session. The client is killed once `made` exists and the session holds `kill_when`."""
    first = "-p" if client.name == "claude" else "exec"
    below = home / (".claude/projects" if client.name == "claude" else ".codex/sessions")

    def transcripts() -> list[Path]:
        return sorted(p for p in below.rglob("*.jsonl") if "subagents" not in p.parts)

    def reached() -> bool:
        stored = any(kill_when.encode() in p.read_bytes() for p in transcripts())
        return stored and (home / made).exists()

    until = reached if kill_when or made else None
    harness.run(client, home, [first, *FLAGS[client.name], prompt], steps, kill_when=until)
    (only,) = transcripts()
    return Scene(client, home, only.stem[-36:])
