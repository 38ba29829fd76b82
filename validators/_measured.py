"""The newest versions of the clients whose resume was measured."""

from suture.model.version import numbers

NEWEST = {"claude-code": "2.1.332", "codex": "0.171.0", "opencode": "1.18.33"}


def is_newer(client: str | None, version: str | None) -> bool:
    """Than every version that was measured: what it takes for healthy is not known."""
    newest = None if client is None else NEWEST.get(client)
    return newest is not None and version is not None and numbers(version) > numbers(newest)
