"""What a rollout says of a tool call and of its result."""

import re
from functools import lru_cache
from hashlib import sha256
from struct import Struct as Layout

import msgspec
from msgspec import Raw, Struct

from suture.model.answer import MARK, is_marked
from suture.stores.codex.lines import Payload, first_byte
from suture.stores.codex.messages import blocks
from suture.stores.codex.vocabulary import (
    FAMILY,
    ID_PREFIX,
    PLACEHOLDER,
    SERVER_FAMILIES,
    SIDE_EFFECTS,
)

_NAME = re.compile(r"[A-Za-z0-9_-]{1,128}")  # what the Responses API takes
_REFUSED = "it holds characters that the provider refuses"
_PREFIXED = re.compile(r"[^_]+_.").match
_ID = re.compile(r"[A-Za-z0-9_-]+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_SHORT = 160  # bytes: no placeholder of a client is longer
_MARK = MARK.encode()
_QUOTE = (b'"',)
_start = Layout("64s").unpack_from  # ours is at the start, if only within a list
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
    family, name = FAMILY[item.type or ""], item.name
    call_id, server, malformed = item.call_id, False, None
    if family == "function" or family == "custom":  # noqa: PLR1714 (each call passes here)
        malformed = _bad_name(name)
        if malformed is None and family == "function":
            malformed = _bad_arguments(item.arguments)
        elif malformed is None and (not item.input or first_byte(item.input) != _QUOTE):
            malformed = "the input is not a string" if item.input else "the input is missing"
    else:
        server = family in SERVER_FAMILIES or (
            family == "tool_search" and item.execution == "server"
        )
        call_id = call_id or (item.id if server or family == "local_shell" else None)
        name = name or family
    if not call_id:
        return None
    ended = status(item.status) if item.status else None
    bad_id = None if item.id is None else refused_id(item)
    # in the order of the fields: naming them costs a third more
    return Call(
        n,
        part,
        call_id,
        lane,
        pos,
        name or None,
        family,
        ended,
        batch,
        server,
        malformed,
        item.id,
        bad_id,
    )


def read_result(n: int, part: int, lane: str, pos: int, item: Payload) -> Result | None:
    call_id = item.call_id
    if not call_id:
        return None  # server-side search output, or a line that Codex does not load
    family = FAMILY[item.type or ""]
    server = False
    if family == "tool_search":
        payload, server = item.tools, item.execution == "server"
    else:
        payload = item.output
    size = len(payload)
    if size > _SHORT and _start(payload)[0].find(_MARK) < 0:  # `in` makes an error first
        placeholder = marked = False
    else:
        placeholder, marked = made_up(payload)
    return Result(n, part, call_id, lane, pos, family, placeholder, marked, server, size)


def nameless(n: int, item: Payload) -> Result:
    """An output that does not say which call it answers: Codex sends it as it is (measured on
    0.171), and answers the call itself."""
    family = FAMILY[item.type or ""]
    return Result(n, 0, "", "main", n, family, False, False, False, len(item.output))


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


@lru_cache(maxsize=1024)
def _bad_name(name: str | None) -> str | None:
    if not name:
        return "the name is missing" if name is None else "the name is empty"
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
    """Why the provider refuses this item's id. An absent id is fine, and so would be one without
    any prefix, which 0.150 and 0.171 leave out."""
    prefix = ID_PREFIX.get(item.type or "")
    if prefix is None or item.id is None:
        return None
    sound = _ID.fullmatch(item.id) is not None
    if sound and item.id.startswith(prefix + "_"):
        return None
    if not _PREFIXED(item.id):
        return "it has no prefix" if item.id else "it is empty"
    return f"it does not start with {prefix}_" if sound else _REFUSED


@lru_cache(maxsize=1024)
def side_effect(name: str | None, family: str) -> str:
    if family in SERVER_FAMILIES:
        return "none"
    return SIDE_EFFECTS.get(name or "", "none" if family == "tool_search" else "unknown")
