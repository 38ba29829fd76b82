"""Where the journals are."""

import os
from pathlib import Path

import platformdirs


def root(journal: Path | None) -> Path:
    """The folder of all journals; never beside a store, whose client may list what lies there."""
    if journal is not None:
        return journal.absolute()
    if named := os.environ.get("SUTURE_JOURNAL"):
        return Path(named).absolute()
    return Path(platformdirs.user_state_dir("suture", appauthor=False)) / "journal"


def is_empty(folder: Path) -> bool:
    """Whether nothing was ever applied: then a check need not know what a journal is."""
    return next(folder.glob("*/journal.json"), None) is None
