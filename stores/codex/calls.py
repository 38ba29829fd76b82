"""What a rollout says of a tool call and of its result."""

import re
from functools import lru_cache
from hashlib import sha256

import msgspec
from msgspec import Raw, Struct

from suture.model.answer import MARK, is_marked
from suture.stores.codex.lines import Payload
from suture.stores.codex.messages import blocks
from suture.stores.codex.vocabulary import (
    FAMILY,
    ID_PREFIX,
    PLACEHOLDER,
    SERVER_FAMILIES,
    SIDE_EFFECTS,
)

_NAME = re.compile(r"[A-Za-z0-9_-]{1,128}")  # what the Responses API takes
_ID = re.compile(r"[A-Za-z0-9_-]+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_SHORT = 160  # bytes: no placeholder of a client is longer
_MARK, _START = MARK.encode(), 64  # ours is at the start, if only within a list
_check_json = msgspec.json.Decoder(Raw).decode
_text = msgspec.json.Decoder(str).decode
_status = msgspec.json.Decoder(str | None).decode


class Call(Struct, gc=False):
    n: int
    part: int
    call_id: str
    lane: str
    pos: int
    name: str | None
    family: str
    status: str | None
    batch: str | None
    server: bool
    malformed: str | None
    item_id: str | None
    bad_item_id: str | None


class Result(Struct, gc=False):
    n: int
    part: int
    call_id: str
    lane: str
    pos: int
    family: str
    placeholder: bool
    marked: bool
    server: bool
    bytes: int


def read_call(
    n: int, part: int, lane: str, pos: int, item: Payload, batch: str | None
) -> Call | None:
    """None for a call that nothing can answer: it has no id."""
    kind = item.type or ""
    family = FAMILY[kind]
    server = family in SERVER_FAMILIES or (family == "tool_search" and item.execution == "server")
    call_id = item.call_id or (item.id if server or family == "local_shell" else None)
    if not call_id:
        return None
    name = item.name or (None if family in ("function", "custom") else family)
    return Call(
        n=n,
        part=part,
        call_id=call_id,
        lane=lane,
        pos=pos,
        name=name,
        family=family,
        status=status(item.status),
        batch=batch,
        server=server,
        malformed=_malformed(item, family),
        item_id=item.id,
        bad_item_id=refused_id(item),
    )


def read_result(n: int, part: int, lane: str, pos: int, item: Payload) -> Result | None:
    if not item.call_id:
        return None  # server-side search output, or a line that Codex does not load
    family = FAMILY[item.type or ""]
    payload = item.tools if family == "tool_search" else item.output
    view = memoryview(payload)
    size = view.nbytes
    if size > _SHORT and _MARK not in view[:_START].tobytes():
        placeholder = marked = False
    else:
        placeholder, marked = made_up(payload)
    return Result(
        n=n,
        part=part,
        call_id=item.call_id,
        lane=lane,
        pos=pos,
        family=family,
        placeholder=placeholder,
        marked=marked,
        server=family == "tool_search" and item.execution == "server",
        bytes=size,
    )


def made_up(output: Raw) -> tuple[bool, bool]:
    """Is this output a text of a client or of suture instead of a tool's, and is it ours?"""
    text = output_text(output)
    marked = is_marked(text)
    return marked or PLACEHOLDER.fullmatch(text) is not None, marked


def output_text(output: Raw) -> str:
    """The text of an output, whichever of its two forms it has."""
    if not output:
        return ""
    try:
        return _text(output)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return "\n".join(block.text or "" for block in blocks(output))


def digest(item: Payload) -> str:
    payload = item.tools if item.type == "tool_search_output" else item.output
    return sha256(payload).hexdigest()[:16]


def status(raw: Raw) -> str | None:
    if not raw:
        return None
    try:
        return _status(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def _malformed(item: Payload, family: str) -> str | None:
    """Why the provider would refuse this call when it is sent again."""
    if family not in ("function", "custom"):
        return None
    wrong = _bad_name(item.name)
    return _bad_arguments(item.arguments) if wrong is None and family == "function" else wrong


@lru_cache(maxsize=1024)
def _bad_name(name: str | None) -> str | None:
    if not name:
        return "the name is empty"
    if _NAME.fullmatch(name):
        return None
    if len(name) > 128:
        return f"the name has {len(name)} characters"
    if _CONTROL.search(name):
        return "the name holds control bytes"
    return "the name holds characters that the provider refuses"


def _bad_arguments(arguments: Raw) -> str | None:
    if not arguments:
        return "the arguments are missing"
    try:
        text = _text(arguments)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return "the arguments are not a string"
    if not text.strip():
        return None  # some providers send nothing for no arguments
    try:
        _check_json(text)
    except msgspec.DecodeError:
        return "the arguments hold control bytes" if "\x00" in text else "the arguments are no JSON"
    except (UnicodeEncodeError, RecursionError):
        return "the arguments are no JSON"
    return None


def refused_id(item: Payload) -> str | None:
    """Why the provider refuses this item's id. An absent id is fine."""
    prefix = ID_PREFIX.get(item.type or "")
    if prefix is None or item.id is None:
        return None
    if _ID.fullmatch(item.id) is None:
        return "it holds characters that the provider refuses" if item.id else "it is empty"
    if not item.id.startswith(prefix + "_"):
        return f"it does not start with {prefix}_"
    return None


def side_effect(name: str | None, family: str) -> str:
    if family in SERVER_FAMILIES:
        return "none"
    return SIDE_EFFECTS.get(name or "", "none" if family == "tool_search" else "unknown")
