"""The facts about machine and versions without which a number says nothing."""

import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_ASKED = ("suture", "duckdb", "pyarrow", "msgspec")


def facts() -> list[str]:
    """One line each."""
    versions = [f"{name} {_version(name)}" for name in _ASKED]
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    python = f"Python {platform.python_version()} ({platform.python_implementation()})"
    return [
        f"{datetime.now(UTC):%Y-%m-%d}, {python}, {', '.join(versions)}",
        f"{os.cpu_count()} cores of {_processor()}, {_memory()}, {platform.system()}",
        f"load before the run {load} (1, 5, 15 minutes)",
    ]


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:  # run from the checkout
        command = [sys.executable, "-m", package, "--version"]
        environment = {**os.environ, "PYTHONSAFEPATH": "1"}
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        return done.stdout.split()[-1] if done.returncode == 0 else "absent"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _memory() -> str:
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return f"{total / 2**30:.0f} GiB"
