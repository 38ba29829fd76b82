"""Runs a real client, cut off from every network, against a stand-in for its provider.

Each run gets network, process and mount namespaces of its own: only the loopback is up, and the
folder that is handed in is mounted as /home/dev, so that what a client writes is the same on every
machine. When the run ends, whatever it started ends with it.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from packages import Client, Unavailable, binary
from stand_in import Step

HOME = "/home/dev"
PORT = 8399
PATIENCE = 120.0  # seconds; a client that says nothing for that long is stuck

CODEX_CONFIG = f"""\
model = "gpt-5-codex"
model_provider = "local"
check_for_update_on_startup = false
[model_providers.local]
name = "local"
base_url = "http://127.0.0.1:{PORT}/v1"
env_key = "LOCAL_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
[analytics]
enabled = false
"""
OPENCODE_CONFIG = {
    "autoupdate": False,
    "share": "disabled",
    "model": "local/m1",
    "small_model": "local/m1",
    "permission": {"*": "allow"},
    "provider": {
        "local": {
            "npm": "@ai-sdk/anthropic",
            "name": "local",
            "options": {"baseURL": f"http://127.0.0.1:{PORT}/v1", "apiKey": "x"},
            "models": {
                "m1": {
                    "name": "m1",
                    "tool_call": True,
                    "limit": {"context": 100000, "output": 4000},
                }
            },
        }
    },
}
FLAGS: Mapping[str, Sequence[str]] = {
    "claude": ["--dangerously-skip-permissions"],
    "codex": ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"],
    "opencode": [],
}

# The stand-in is up before /home is covered: its interpreter may lie below it.
SCRIPT = """\
set -e
ip link set lo up 2>/dev/null || true
mount -t tmpfs none /mnt
mkdir /mnt/home /mnt/client
mount --bind "$HOME_FOLDER" /mnt/home
mount --bind "$CLIENT_FOLDER" /mnt/client
"$PYTHON" -S "$STAND_IN" "$PORT" "$LOG" "$STEPS" &
for i in $(seq 200); do (exec 3<>"/dev/tcp/127.0.0.1/$PORT") 2>/dev/null && break; sleep 0.05; done
mount -t tmpfs none /home
mkdir -p /home/dev
mount --bind /mnt/home /home/dev
cd /home/dev/shop
set +e
{ printf %s "$TYPED"; sleep "$LINGER"; } | eval "env -i $ENVIRONMENT $COMMAND"
"""


@dataclass(frozen=True, slots=True)
class Run:
    """What one command of a client said and sent."""

    stdout: str
    stderr: str
    requests: tuple[dict[str, Any], ...]
    ended: bool  # False: it was killed

    @property
    def request(self) -> dict[str, Any]:
        """The first request: the session as the client has loaded it, with the new prompt."""
        assert self.requests, f"the client sent nothing: {self.stdout[-400:]} {self.stderr[-400:]}"
        return self.requests[0]


def run(
    client: Client,
    home: Path,
    arguments: Sequence[str],
    steps: Sequence[Step] = (),
    *,
    typed: str = "",
    kill_when: Callable[[], bool] | None = None,
) -> Run:
    """Run one command of the client to its end, or until it is time to kill it."""
    (home / "shop").mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "requests.jsonl")
        out, err = Path(folder, "out"), Path(folder, "err")
        log.touch()
        environment = _outer(client, home.resolve(), arguments, steps, log)
        # A server ends with its input: it gets time for what was typed.
        environment |= {"TYPED": typed, "LINGER": "2" if typed else "0"}
        with out.open("wb") as o, err.open("wb") as e:
            process = subprocess.Popen(_isolated(SCRIPT), env=environment, stdout=o, stderr=e)
            ended = _wait(process, kill_when)
        requests = [json.loads(line)["body"] for line in log.read_text("utf-8").splitlines()]
        said, complained = out.read_text("utf-8", "replace"), err.read_text("utf-8", "replace")
    return Run(said, complained, tuple(requests), ended)


def _wait(process: subprocess.Popen[bytes], kill_when: Callable[[], bool] | None) -> bool:
    """True if it ended by itself. Killing the outer process kills all that is in its namespace."""
    end = time.monotonic() + PATIENCE
    while process.poll() is None:
        if kill_when is not None and kill_when():
            process.kill()
            process.wait()
            return False
        if time.monotonic() > end:
            process.kill()
            process.wait()
            raise TimeoutError(f"the client did not end within {PATIENCE:.0f} s")
        time.sleep(0.02)
    return True


def _outer(
    client: Client, home: Path, arguments: Sequence[str], steps: Sequence[Step], log: Path
) -> dict[str, str]:
    program = binary(client)
    root = next(p for p in program.parents if p.name == "node_modules")
    inside = Path("/mnt/client") / program.relative_to(root)
    inner = " ".join(f"{k}={shlex.quote(v)}" for k, v in _environment(client, home).items())
    return {
        "PATH": os.environ["PATH"],
        "HOME_FOLDER": str(home),
        "CLIENT_FOLDER": str(root),
        "PYTHON": sys.executable,
        "STAND_IN": str(Path(__file__).with_name("stand_in.py")),
        "PORT": str(PORT),
        "LOG": str(log),
        "STEPS": json.dumps(list(steps)),
        "ENVIRONMENT": inner,
        "COMMAND": shlex.join([str(inside), *arguments]),
    }


def _environment(client: Client, home: Path) -> dict[str, str]:
    common = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": HOME, "TERM": "dumb", "TZ": "UTC"}
    match client.name:
        case "claude":
            return common | {
                "IS_SANDBOX": "1",
                "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{PORT}",
                "ANTHROPIC_API_KEY": "sk-ant-local",
                "DISABLE_AUTOUPDATER": "1",
                "DISABLE_TELEMETRY": "1",
                "DISABLE_ERROR_REPORTING": "1",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            }
        case "codex":
            _write(home / ".codex/config.toml", CODEX_CONFIG)
            return common | {"CODEX_HOME": f"{HOME}/.codex", "LOCAL_KEY": "x"}
        case "opencode":
            _write(home / ".config/opencode/opencode.json", json.dumps(OPENCODE_CONFIG))
            return common | {
                "OPENCODE_DISABLE_AUTOUPDATE": "1",
                "OPENCODE_DISABLE_MODELS_FETCH": "1",
                "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
            }
        case other:
            raise ValueError(other)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _isolated(script: str) -> list[str]:
    as_root = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    apart = ["--net", "--pid", "--mount", "--fork", "--kill-child", "--mount-proc"]
    return ["unshare", *as_root, *apart, "bash", "-c", script]


@cache
def why_not(client: Client) -> str | None:
    """The reason why this client cannot be run here, or None."""
    if sys.platform != "linux" or shutil.which("unshare") is None:
        return "real clients are run in Linux namespaces of their own (unshare)"
    tried = subprocess.run(
        _isolated("mount -t tmpfs none /mnt"), capture_output=True, text=True, check=False
    )
    if tried.returncode:
        return f"no namespaces may be made here: {tried.stderr.strip()[-200:]}"
    try:
        program = binary(client)
    except Unavailable as reason:
        return str(reason)
    tried = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    if client.version not in tried.stdout:
        return f"{program} does not run here: {(tried.stdout + tried.stderr).strip()[-200:]}"
    return None
