"""A made-up session before it is written: records in order, and the tool that would write them."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from invent import Inventor

JsonObject = dict[str, Any]  # a record as the client writes it
Role = Literal["meta", "message", "call", "result", "other"]


@dataclass(slots=True, eq=False)  # two records may hold the same and still be two
class Record:
    fields: JsonObject
    role: Role
    call: str | None = None

    def encoded(self) -> bytes:
        return json.dumps(self.fields, ensure_ascii=False, separators=(",", ":")).encode()


@dataclass(slots=True)
class Session:
    id: str
    records: list[Record]
    has_ordinals: bool = False


@dataclass(frozen=True, slots=True)
class Tool:
    """A client whose sessions can be made up, and what a fault needs to know of its records."""

    name: str
    invent: Callable[[Inventor, int], Session]  # a session of about so many bytes
    path: Callable[[int, str], str]
    kinds: tuple[str, ...]
    give_call: Callable[[JsonObject, str], None]  # makes a result answer another call
    give_output: Callable[[JsonObject, str], None]  # puts a text in a result's place
