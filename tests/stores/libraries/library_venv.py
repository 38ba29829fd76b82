"""The real libraries, pinned, installed from PyPI into a folder of their own."""

import json
import os
import shutil
import signal
import subprocess
import sys
import venv
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

PINNED = (
    "openai-agents==0.24.0",
    "google-adk==2.13.0",
    "sqlalchemy[asyncio]==2.1.9",
    "aiosqlite==0.22.1",
)
LANGGRAPH = (
    "langgraph==1.2.12",
    "langgraph-checkpoint-sqlite==3.1.2",
    "langgraph-checkpoint-postgres==3.2.0",
    "psycopg[binary]==3.3.9",
)
AGENTS_ON_SERVERS = (
    "openai-agents==0.24.0",
    "sqlalchemy[asyncio]==2.1.9",
    "aiosqlite==0.22.1",
    "psycopg[binary]==3.3.9",
    "aiomysql==0.3.2",
    "PyMySQL==1.2.4",
)
# By script; the others share a folder.
_WANTED = {"play_langgraph.py": LANGGRAPH, "play_agents_on_servers.py": AGENTS_ON_SERVERS}
HERE = Path(__file__).parent
QUIET = {"OPENAI_AGENTS_DISABLE_TRACING": "1", "PYTHONWARNINGS": "ignore"}


class Unavailable(Exception):
    """Why the libraries cannot be had here."""


def folder() -> Path:
    chosen = os.environ.get("SUTURE_LIBRARIES")
    return Path(chosen) if chosen else user_cache_path("suture", appauthor=False) / "libraries"


@cache
def python(pinned: tuple[str, ...] = PINNED) -> Path:
    """The interpreter that can import them. Raises Unavailable."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    name = sha256("\n".join((version, *pinned)).encode()).hexdigest()[:16]
    home = folder() / name
    interpreter = home / "bin" / "python"
    if not (home / "whole").exists():
        shutil.rmtree(home, ignore_errors=True)
        venv.create(home, with_pip=True)
        command = [str(interpreter), "-m", "pip", "install", "--quiet", *pinned]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Unavailable(f"pip cannot install {', '.join(pinned)}: {done.stderr[-300:]}")
        (home / "whole").touch()
    return interpreter


@cache
def why_not(pinned: tuple[str, ...] = PINNED) -> str | None:
    try:
        python(pinned)
    except (Unavailable, OSError, subprocess.SubprocessError) as reason:
        return str(reason)
    return None


def play(script: str, *arguments: str) -> Any:
    """Run a command of a script with the library to its end; what it prints is JSON."""
    done = _run(script, *arguments)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def play_until_killed(script: str, *arguments: str) -> None:
    """The script kills itself in the middle of a transaction of the library."""
    done = _run(script, *arguments)
    assert done.returncode == -signal.SIGKILL, done.stdout + done.stderr[-2000:]


def _run(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(python(_WANTED.get(script, PINNED))), str(HERE / script), *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=120, env=os.environ | QUIET
    )
