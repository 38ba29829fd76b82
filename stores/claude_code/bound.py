"""Models whose signed thinking is bound to all that came before it."""

import json
import re
from functools import cache
from importlib.resources import files

_HERE = "suture.stores.claude_code"


@cache
def _names() -> re.Pattern[str]:
    limits = json.loads(files(_HERE).joinpath("limits.json").read_bytes())
    return re.compile(limits["bound_thinking"]["models"])


def bound(model: str) -> bool:
    return _names().search(model) is not None
