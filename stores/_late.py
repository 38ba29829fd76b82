"""Parts of a store that are imported when they are first used.

A check of one file pays for recognising every format and for reading one, not for all of them.
"""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any


def late(place: str) -> Callable[..., Any]:
    """The function `module:name`, as a function that imports it."""

    def call(*given: Any) -> Any:
        return _found(place)(*given)

    return call


def value(place: str) -> Callable[..., Any]:
    """The constant `module:name`, as a function that imports it, whatever it is given."""
    return lambda *_: _found(place)


@cache
def _found(place: str) -> Any:
    module, name = place.split(":")
    return getattr(import_module(module), name)
