"""Stored values as plain structures. What a value names is never imported, built or run."""

import json
from typing import Any

import msgspec
from msgspec import Struct

_CONSTRUCTORS = range(6)  # one argument, positions, keywords, a method, pydantic v1, pydantic v2
_SNAPSHOT = 7
_EXTENSIONS = frozenset(bytes([first]) for first in (*range(0xC7, 0xCA), *range(0xD4, 0xD9)))
_NAMES = 3  # module, class and argument
ENCRYPTED = "+aes"
_READ = frozenset({"msgpack", "json", "bytes", "bytearray"})


class Built(Struct, gc=False):
    """A value that the writer's program would build by calling a class."""

    module: str
    name: str
    value: Any


class Opaque(Struct, gc=False):
    """An extension that is not looked into, such as an array of numbers."""

    code: int
    size: int


class Sealed(Struct, gc=False):
    """A value in a form that is not read, and why."""

    why: str


def _extension(code: int, data: memoryview) -> Any:
    if code == _SNAPSHOT:
        return _plain(data)
    if code not in _CONSTRUCTORS:
        return Opaque(code, len(data))
    inner = _plain(data)
    if not isinstance(inner, list) or len(inner) < _NAMES:
        raise ValueError(f"extension {code} without a class and its argument")
    module, name, value = inner[:_NAMES]
    if not isinstance(module, str) or not isinstance(name, str):
        raise TypeError(f"extension {code} names no class")
    return Built(module, name, value)


_plain = msgspec.msgpack.Decoder(ext_hook=_extension).decode


def decode(kind: object, data: object) -> Any:
    """Raises ValueError, TypeError or RecursionError for what no writer writes."""
    if kind is None or kind == "null":
        return None
    if not isinstance(kind, str):
        raise TypeError("the type of the value is no text")
    if why := _closed(kind):
        return Sealed(why)
    raw = data.encode() if isinstance(data, str) else data
    if not isinstance(raw, bytes):
        raise TypeError("the value is no blob")
    if kind == "json":
        return json.loads(raw, object_hook=_constructed)
    return _plain(raw) if kind == "msgpack" else raw


def is_snapshot(kind: object, data: object) -> bool:
    """A value of a channel that is kept as differences, which has one at some versions only."""
    if kind != "msgpack" or not isinstance(data, bytes) or data[:1] not in _EXTENSIONS:
        return False
    found = msgspec.msgpack.decode(data)
    return isinstance(found, msgspec.msgpack.Ext) and found.code == _SNAPSHOT


def _closed(kind: str) -> str | None:
    if kind.endswith(ENCRYPTED):
        return "it is encrypted"
    if kind == "pickle":
        return "it is a pickle, and pickles are never loaded"
    if kind not in _READ:
        return f"it is of the type {kind[:40]!r}, which is not known"
    return None


def _constructed(value: dict[str, Any]) -> Any:
    """The older form: an object that says which class it is of."""
    path = value.get("id")
    if value.get("lc") not in (1, 2) or not isinstance(path, list) or not path:
        return value
    names = [str(part) for part in path]
    return Built(".".join(names[:-1]), names[-1], value.get("kwargs"))
