"""One command of suture whose disk functions leave a mark in the system calls around their own.

Run under strace: `strace … python traced.py apply plan.json --yes`. The functions are those that
the kill tests stop at, found in the same way.
"""

import os
import types
from collections.abc import Callable
from contextlib import suppress

from suture.cli.main import main
from suture.repair import disk

MARK = "suture-disk-function:"


def mark(word: str) -> None:
    with suppress(OSError):
        os.readlink(f"{MARK}{word}")  # noqa: PTH115 (there is no such link: only the call matters)


def marked(name: str, function: Callable[..., object]) -> Callable[..., object]:
    def call(*args: object, **named: object) -> object:
        mark(f"+{name}")
        try:
            return function(*args, **named)
        finally:
            mark(f"-{name}")

    return call


def functions() -> dict[str, types.FunctionType]:
    return {
        name: value
        for name, value in vars(disk).items()
        if isinstance(value, types.FunctionType) and value.__module__ == disk.__name__
    }


if __name__ == "__main__":
    for name, function in functions().items():
        setattr(disk, name, marked(name, function))
    if os.environ.get("SUTURE_TEST_STRAY"):  # a write that nobody knows of
        disk.sync = os.fsync
    main()
