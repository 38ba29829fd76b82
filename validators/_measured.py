"""The newest versions of the clients whose resume was measured."""

import re

NEWEST = {"claude-code": "2.1.332", "codex": "0.171.0", "opencode": "1.18.33"}


def is_newer(client: str | None, version: str | None) -> bool:
    """Than every version that was measured: what it takes for healthy is not known."""
    newest = None if client is None else NEWEST.get(client)
    return newest is not None and version is not None and numbers(version) > numbers(newest)


def numbers(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d{1,9}", version)]
