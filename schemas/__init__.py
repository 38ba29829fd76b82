"""The shapes suture writes and reads: SQL for the canonical tables, JSON Schema for documents."""

from importlib import resources


def text(name: str) -> str:
    """A file of this folder, as `plan.schema.json` or `eventlog/turn.ended.json`."""
    return resources.files(__name__).joinpath(name).read_text("utf-8")
