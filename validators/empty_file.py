"""The file has no bytes.

## Why it matters
A disk that was full or a crash before the first flush leaves it. Claude Code says "No conversation
found", Codex that the rollout is empty. Nothing in the file can be restored.

## Example
    (zero bytes)

## Repair
None. While a writer is alive the file is only young, and nothing is said.
"""

from collections.abc import Iterator

from suture.db import Database
from suture.model.finding import Severity
from suture.validators._damage import damage, damage_hit
from suture.validators._rule import Hit, Options, Rule


def check(db: Database, options: Options) -> Iterator[Hit]:
    for row in damage(db, "kind = 'empty_file' and live is null"):
        yield damage_hit(row)


RULE = Rule("116", "empty-file", Severity.WARN, check, needs=("damage:empty_file",))
