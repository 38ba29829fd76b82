"""Run by test_fuzz.py: atheris writes the bytes that Hypothesis draws stores and faults from."""

import sys
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

atheris: Any = import_module("atheris")
HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "src")]
READ = ("suture.stores", "suture.validators", "suture.repair")

with atheris.instrument_imports(include=list(READ)):  # not what is imported later
    for name in READ:
        for module in walk_packages(import_module(name).__path__, f"{name}."):
            import_module(module.name)
    from test_fuzz import fuzz_bytes


def main() -> None:
    atheris.Setup(sys.argv, fuzz_bytes)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
