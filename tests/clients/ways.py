"""What differs between the clients: what they are told, where they store, how a fact lies there."""

import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import facts
from facts import Facts
from stand_in import Step


@dataclass(frozen=True, slots=True)
class Ways:
    new: Callable[[str], list[str]]  # a prompt: what begins a session with it
    again: Callable[[str, str], list[str]]  # session, prompt: what goes on with it
    forking: Sequence[str] | None  # what makes it go on in a fork; None: it takes more than that
    files: Callable[[Path], list[Path]]  # of a home: all that holds its sessions
    sessions: Callable[[Path], list[str]]  # of a home: those that a person began
    store: Callable[[Path], Path]  # of a session's file: what suture is pointed at
    facts: Callable[[Sequence[Path], str], Facts]  # what a session holds
    shell: Callable[[str], Step]  # a call that runs a command
    helper: Callable[[str], Step] | None = None  # a call that asks a subagent

    def file(self, home: Path, session: str) -> Path:
        """The file of a session, or the database that it is in."""
        (only,) = [p for p in self.files(home) if session in p.name or p.suffix == ".db"]
        return only


def logs_below(folder: str) -> Callable[[Path], list[Path]]:
    def files(home: Path) -> list[Path]:
        found = (home / folder).rglob("*.jsonl")
        return sorted(path for path in found if "subagents" not in path.parts)

    return files


def lines(paths: Sequence[Path]) -> list[bytes]:
    return [line for path in paths for line in path.read_bytes().splitlines()]


# -- Claude Code --------------------------------------------------------------------------------

_claude_files = logs_below(".claude/projects")
_CLAUDE = ["-p", "--dangerously-skip-permissions"]


def _agent(task: str) -> Step:
    given = {"description": task, "prompt": f"Please {task}.", "subagent_type": "general-purpose"}
    return {"name": "Agent", "input": given}


CLAUDE = Ways(
    new=lambda prompt: [*_CLAUDE, prompt],
    again=lambda session, prompt: [*_CLAUDE, "--resume", session, prompt],
    forking=("--fork-session",),
    files=_claude_files,
    sessions=lambda home: [path.stem for path in _claude_files(home)],
    store=lambda file: file.parent,
    facts=lambda paths, _: facts.of_claude(lines(paths)),
    shell=lambda command: {"name": "Bash", "input": {"command": command}},
    helper=_agent,
)

# -- Codex --------------------------------------------------------------------------------------

_codex_files = logs_below(".codex/sessions")
_CODEX = ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]

CODEX = Ways(
    new=lambda prompt: [*_CODEX, prompt],
    again=lambda session, prompt: [*_CODEX, "resume", session, prompt],
    forking=None,
    files=_codex_files,
    sessions=lambda home: [path.stem[-36:] for path in _codex_files(home)],
    store=lambda file: next(p for p in file.parents if p.name == ".codex"),
    facts=lambda paths, _: facts.of_codex(lines(paths)),
    shell=lambda command: {"name": "exec_command", "input": {"cmd": command}},
)

# -- OpenCode -----------------------------------------------------------------------------------

_BEGUN = "SELECT id FROM session WHERE parent_id IS NULL ORDER BY time_created"


def _opencode_files(home: Path) -> list[Path]:
    return sorted((home / ".local/share/opencode").glob("opencode.db*"))


def _opencode_sessions(home: Path) -> list[str]:
    database = next(path for path in _opencode_files(home) if path.suffix == ".db")
    return [str(row[0]) for row in rows(database, _BEGUN)]


def rows(database: Path, sql: str, *values: str) -> list[tuple[object, ...]]:
    """Asked of a copy: the last reader of a database folds its log into it."""
    with tempfile.TemporaryDirectory() as folder:
        for path in database.parent.glob(f"{database.name}*"):
            shutil.copy(path, folder)
        with closing(sqlite3.connect(Path(folder, database.name))) as copy:
            return copy.execute(sql, values).fetchall()


def _task(task: str) -> Step:
    given = {"description": task, "prompt": f"Please {task}.", "subagent_type": "general"}
    return {"name": "task", "input": given}


def _opencode_facts(paths: Sequence[Path], session: str) -> Facts:
    messages = rows(paths[0], facts.OPENCODE_MESSAGES, session)
    parts = rows(paths[0], facts.OPENCODE_PARTS, session)
    return facts.of_opencode(messages, parts)


OPENCODE = Ways(
    new=lambda prompt: ["run", prompt],
    again=lambda session, prompt: ["run", "--session", session, prompt],
    forking=("--fork",),
    files=_opencode_files,
    sessions=_opencode_sessions,
    store=lambda file: file,
    facts=_opencode_facts,
    shell=lambda command: {"name": "bash", "input": {"command": command, "description": command}},
    helper=_task,
)

WAYS = {"claude": CLAUDE, "codex": CODEX, "opencode": OPENCODE}
