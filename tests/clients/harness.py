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
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from packages import Client, Unavailable, binary
from settings import PORT, environment
from stand_in import Step

PATIENCE = 300.0  # seconds; a client that says nothing for that long is stuck
ENDLESS = 40  # requests; a client that has sent so many will not end by itself

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


@dataclass(frozen=True, slots=True)
class Process:
    """A client at work; `folder` takes what it says and sends."""

    popen: subprocess.Popen[bytes]
    folder: Path

    def wait(self, reached: Callable[[], bool] | None = None) -> bool:
        """Until `reached`, or to its end: then True. One without an end is cut off."""
        end = time.monotonic() + PATIENCE
        while self.popen.poll() is None:
            if (reached is not None and reached()) or len(self.log()) > ENDLESS:
                return False
            if time.monotonic() > end:
                raise TimeoutError(f"the client did not end within {PATIENCE:.0f} s")
            time.sleep(0.02)
        return True

    def said(self, ended: bool) -> Run:
        out, err = ((self.folder / name).read_text("utf-8", "replace") for name in ("out", "err"))
        return Run(out, err, tuple(json.loads(line)["body"] for line in self.log()), ended)

    def log(self) -> list[str]:
        return (self.folder / "requests.jsonl").read_text("utf-8").splitlines()


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
    with running(client, home, arguments, steps, typed=typed) as process:
        ended = process.wait(kill_when)
        if not ended:
            _kill(process.popen)
        return process.said(ended)


@contextmanager
def running(
    client: Client,
    home: Path,
    arguments: Sequence[str],
    steps: Sequence[Step] = (),
    *,
    typed: str = "",
) -> Iterator[Process]:
    """A client that is killed in the end, if it has not ended by itself."""
    (home / "shop").mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        log = folder / "requests.jsonl"
        log.touch()
        outer = _outer(client, home.resolve(), arguments, steps, log)
        # A server ends with its input: it gets time for what was typed.
        outer |= {"TYPED": typed, "LINGER": "2" if typed else "0"}
        with (folder / "out").open("wb") as out, (folder / "err").open("wb") as err:
            popen = subprocess.Popen(_isolated(SCRIPT), env=outer, stdout=out, stderr=err)
            try:
                yield Process(popen, folder)
            finally:
                _kill(popen)


def _kill(popen: subprocess.Popen[bytes]) -> None:
    """Killing the outer process kills all that is in its namespace; the first one in there is the
    last to end."""
    inside = _children(popen.pid)
    popen.kill()
    popen.wait()
    end = time.monotonic() + 10
    while any(_runs(pid) for pid in inside) and time.monotonic() < end:
        time.sleep(0.02)


def _children(parent: int) -> list[int]:
    """Asked of every process: not every kernel lists them."""
    pids = (int(path.name) for path in Path("/proc").glob("[0-9]*"))
    return [pid for pid in pids if _status(pid)[1:2] == [str(parent)]]


def _runs(pid: int) -> bool:
    return _status(pid)[:1] not in ([], ["Z"])


def _status(pid: int) -> list[str]:
    """State and parent, or nothing."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return []
    return stat.rsplit(")", 1)[1].split()[:2]


def _outer(
    client: Client, home: Path, arguments: Sequence[str], steps: Sequence[Step], log: Path
) -> dict[str, str]:
    program = binary(client)
    root = next(p for p in program.parents if p.name == "node_modules")
    inside = Path("/mnt/client") / program.relative_to(root)
    inner = " ".join(f"{k}={shlex.quote(v)}" for k, v in environment(client, home).items())
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
