"""Signed thinking that is bound to all that came before it: newer models check that."""

import json
import re
from functools import cache
from importlib.resources import files

_HERE = "suture.stores.claude_code"


def binds(model: str) -> bool:
    return _names().search(model) is not None


@cache
def _names() -> re.Pattern[str]:
    limits = json.loads(files(_HERE).joinpath("limits.json").read_bytes())
    return re.compile(limits["bound_thinking"]["models"])


def signed(line: bytes) -> tuple[int, ...]:
    """The blocks of a line that a provider refuses once anything before them has changed."""
    if b'thinking"' not in line:
        return ()
    try:
        message = json.loads(line)["message"]
        model, content = message["model"], message["content"]
    except (ValueError, LookupError, TypeError):
        return ()
    if not isinstance(model, str) or not isinstance(content, list) or not binds(model):
        return ()
    return tuple(part for part, block in enumerate(content) if _is_signed(block))


def _is_signed(block: object) -> bool:
    match block:
        case {"type": "thinking", "signature": str(proof)}:
            return proof != ""
        case {"type": "redacted_thinking", "data": str(proof)}:
            return proof != ""
        case _:
            return False
