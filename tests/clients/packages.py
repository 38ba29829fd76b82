"""The clients under test, each pinned, installed from npm into a folder of their own."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_cache_path


class Unavailable(Exception):
    """Why a real client cannot be run here."""


@dataclass(frozen=True, slots=True)
class Client:
    name: str  # claude | codex | opencode
    package: str
    version: str
    native: str  # where its own binary lies below node_modules; no Node is needed to run it

    @property
    def id(self) -> str:
        return f"{self.name}-{self.version}"


CLAUDE = "@anthropic-ai/claude-code-linux-*/claude"
CODEX = "@openai/codex-linux-*/vendor/*/bin/codex"
OPENCODE = "opencode-linux-*/bin/opencode"

CLAUDE_2_1_197 = Client("claude", "@anthropic-ai/claude-code", "2.1.197", CLAUDE)
CLAUDE_2_1_332 = Client("claude", "@anthropic-ai/claude-code", "2.1.332", CLAUDE)
CODEX_0_150 = Client("codex", "@openai/codex", "0.150.0", CODEX)
CODEX_0_171 = Client("codex", "@openai/codex", "0.171.0", CODEX)
OPENCODE_1_17 = Client("opencode", "opencode-ai", "1.17.18", OPENCODE)
OPENCODE_1_18 = Client("opencode", "opencode-ai", "1.18.33", OPENCODE)


def folder() -> Path:
    chosen = os.environ.get("SUTURE_CLIENTS")
    return Path(chosen) if chosen else user_cache_path("suture", appauthor=False) / "clients"


def binary(client: Client) -> Path:
    """The client's own binary, installed if it is not there yet. Raises Unavailable."""
    home = folder() / client.id
    found = _binary(home, client)
    if found is None:
        _install(home, client)
        found = _binary(home, client)
    if found is None:
        raise Unavailable(f"{client.package} {client.version} has no binary for this machine")
    return found


def _binary(home: Path, client: Client) -> Path | None:
    found = sorted((home / "node_modules").glob(client.native))
    plain = [path for path in found if "musl" not in path.parts[-3] and "baseline" not in str(path)]
    return next(iter(plain or found), None)


def _install(home: Path, client: Client) -> None:
    if shutil.which("npm") is None:
        raise Unavailable(f"{client.package} is not installed and there is no npm to install it")
    home.mkdir(parents=True, exist_ok=True)
    wanted = f"{client.package}@{client.version}"
    command = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts"]
    done = subprocess.run(
        [*command, "--prefix", str(home), wanted], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise Unavailable(f"npm cannot install {wanted}: {done.stderr.strip()[-300:]}")
