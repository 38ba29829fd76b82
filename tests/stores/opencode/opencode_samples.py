"""Sessions that the real client wrote, with a fault put into them by SQL."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from suture import api
from suture.model.scope import Scope

SAMPLES = Path(__file__).parents[3] / "sample_data" / "opencode"
NOW = 1_800_000_000_000_000
TOOL = "toolu_072a76d1e33c4622a8c9f080"  # of the second reply
HOUR_AHEAD = 1_800_003_600_000
LAST = "(SELECT id FROM message ORDER BY time_created DESC LIMIT 1)"
FIRST_REPLY = "(SELECT id FROM message WHERE data LIKE '%assistant%' ORDER BY time_created LIMIT 1)"
PART = f"id = (SELECT id FROM part WHERE data LIKE '%{TOOL}%')"
EVENTS = f"type LIKE 'message.part%' AND data LIKE '%{TOOL}%'"
LATER = "time_created = time_created + 999000000000"
SAYS_LATER = "data = json_set(data, '$.time.created', time_created + 999000000000)"


def damaged(folder: Path, sql: str, sample: str = "healthy") -> Path:
    path = folder / "opencode.db"
    shutil.copy(SAMPLES / sample / "opencode.db", path)
    with closing(sqlite3.connect(path)) as database:
        database.executescript(sql)
    return path


def found(path: Path, journal: Path) -> set[str]:
    scope = Scope((str(path),), assume="dead", now=NOW)
    return {item.finding.rule for item in api.check(scope, journal).findings}


def dump(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as database:
        database.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
        return list(database.iterdump())
