"""Rare items, of which more keys are wanted than are decoded: a client leaves out the line of one
that lacks a key or has another type there, without a word (measured on 0.150 and 0.171)."""

import re
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Raw, Struct

from suture.stores.codex.lines import NOTHING

_MISSING = re.compile(r"Object missing required field `(\w+)`(?: - at `\$\.?([^`]*)`)?")
_AT = re.compile(r" - at `\$\.([^`]*)`")
_OTHER_ACTION = re.compile(r"Invalid value '.*' - at `\$\.action\.type`", re.S)
_PICTURE = (b'"status":"', b'"result":"')
_ENCRYPTED = b'"encrypted_content"'
_PROMPT = b'"revised_prompt":'
_AFTER_PROMPT = (b'"', b"null")
_Count = Annotated[int, Meta(ge=0)]


class _Call(Struct, kw_only=True):
    encrypted_content: str | None = None  # of 0.171


class _Exec(Struct):
    type: Literal["exec"]
    command: list[str]
    timeout_ms: _Count | None = None
    working_directory: str | None = None
    env: dict[str, str] | None = None
    user: str | None = None


class _LocalShell(_Call, kw_only=True):
    status: Literal["completed", "in_progress", "incomplete"]
    action: _Exec
    call_id: str | None = None


class _ToolSearch(_Call, kw_only=True):
    execution: str
    arguments: Raw
    status: str | None = None
    call_id: str | None = None


class _Tools(Struct):
    execution: str
    status: str
    tools: list[Raw]
    call_id: str | None = None


class _Search(Struct, tag="search"):
    query: str | None = None
    queries: list[str] | None = None


class _Open(Struct, tag="open_page"):
    url: str | None = None


class _Find(Struct, tag="find_in_page"):
    url: str | None = None
    pattern: str | None = None


class _WebSearch(_Call, kw_only=True):
    status: str | None = None
    action: _Search | _Open | _Find | None = None


class _Picture(_Call, kw_only=True):
    status: str
    result: str
    revised_prompt: str | None = None


class _PassedOn(Struct):
    author: str
    recipient: str


class _MoreTools(Struct):
    role: str
    tools: list[Raw]


_WANTED: dict[str, msgspec.json.Decoder[Any]] = {
    "local_shell_call": msgspec.json.Decoder(_LocalShell),
    "tool_search_call": msgspec.json.Decoder(_ToolSearch),
    "tool_search_output": msgspec.json.Decoder(_Tools),
    "web_search_call": msgspec.json.Decoder(_WebSearch),
    "image_generation_call": msgspec.json.Decoder(_Picture),
    "agent_message": msgspec.json.Decoder(_PassedOn),
    "additional_tools": msgspec.json.Decoder(_MoreTools),
}


RARE = frozenset(_WANTED)


class _Line(Struct):
    payload: Raw = NOTHING


_line = msgspec.json.Decoder(_Line)


def of_line(type: str | None, line: bytes) -> str | None:
    """Why a client cannot read the item of this line."""
    if type == "image_generation_call" and _is_picture(line):
        return None
    try:
        return of_item(type, _line.decode(line).payload)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None  # a line that is no JSON has other findings


def _is_picture(line: bytes) -> bool:
    """It is large, and decoding it again would cost as much as all else."""
    if any(line.find(start) < 0 for start in _PICTURE) or line.find(_ENCRYPTED) >= 0:
        return False
    at = line.find(_PROMPT)
    return at < 0 or line.startswith(_AFTER_PROMPT, at + len(_PROMPT))


def of_item(type: str | None, item: Raw) -> str | None:
    decoder = _WANTED.get(type or "")
    if decoder is None:
        return None
    try:
        decoder.decode(item)
    except msgspec.ValidationError as error:
        return _told(str(error))
    except (msgspec.DecodeError, UnicodeDecodeError):
        pass
    return None


def _told(error: str) -> str | None:
    if (lacks := _MISSING.match(error)) is not None:
        key, within = lacks.groups()
        return f"payload.{within + '.' if within else ''}{key} is missing"
    if _OTHER_ACTION.fullmatch(error):
        return None  # of a web search, it is sent as one of the kind `other`
    at = _AT.search(error)
    what = "none that a client knows" if error.startswith("Invalid") else "of another type"
    return f"payload.{at[1] if at else ''} is {what}"
