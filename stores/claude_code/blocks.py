"""Content blocks: calls, results, and in a full pass every block with its text."""

import json
import re
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib.resources import files
from sys import intern

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from suture.model.answer import MARK
from suture.model.rows import PartRow
from suture.stores._jsonl import Piece
from suture.stores._loaded import load
from suture.stores.claude_code import odd
from suture.stores.claude_code.kinds import CALLS
from suture.stores.claude_code.lines import Block, Line, Message, raw
from suture.stores.claude_code.view import Call, Result, Transcript

_BRACE, _QUOTE = b'{"'
_HERE = "suture.stores.claude_code"
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")  # the provider says 64; longer ones were accepted
_FIRST_TEXT = re.compile(rb'\[\s*\{\s*"type"\s*:\s*"text"\s*,\s*"text"\s*:\s*"|"')
_TELLING = (ord("["), ord("<"))  # every text that is known by its start starts so
_SPILLED = re.compile(r"Full output saved to: ([^\n]+)")
_START = 600  # bytes of a result that are looked at for a known text


@cache
def _side_effects() -> dict[str, str]:
    table = json.loads(files(_HERE).joinpath("tools.json").read_bytes())
    return {name: effect for effect, names in table.items() for name in names}


@cache
def _placeholders() -> tuple[str, ...]:
    return (MARK, *json.loads(files(_HERE).joinpath("markers.json").read_bytes()))


@lru_cache(maxsize=4096)
def _tool(name: str | None) -> tuple[str, str | None]:
    """What a tool may change, and what is wrong with its name."""
    if not name:
        return "unknown", "no name"
    wrong = None if _NAME.fullmatch(name) else "a name that the provider refuses"
    known = "external" if name.startswith("mcp__") else "unknown"
    return _side_effects().get(name, known), wrong


def calls_and_results(
    found: Transcript, spoken: Iterable[tuple[int, Line, Message | None]]
) -> None:
    """Of lines that are spoken."""
    add_call = found.calls.append
    for n, line, message in spoken:
        content = None if message is None else message.content
        if message is None or not content or isinstance(content, str):
            odd.plain(found, n, line)
            continue
        for part, block in enumerate(content):
            kind = block.type
            if kind == "text":
                odd.text(found, n, part, content)
            elif kind == "tool_result":
                _result(found, n, part, block, line)
                if part and content[part - 1].type != kind:
                    odd.behind(found, n, part, block)
            elif kind in CALLS:
                add_call(_call(found, n, part, block, message.id))
            elif kind == "thinking" or kind == "redacted_thinking":  # noqa: PLR1714 (it is fast)
                odd.thinking(found, n, part, block, line)
            elif kind.endswith("_tool_result"):
                _result(found, n, part, block, line)
            elif kind == "image":
                odd.image(found, n, (part,), block.source)
        if line.tool_use_result is not UNSET:
            odd.tool_use_result(found, n, line.tool_use_result)


def _call(found: Transcript, n: int, part: int, block: Block, batch: str | None) -> Call:
    side_effect, wrong = _tool(block.name)
    id, given = block.id, block.input
    if not id:
        wrong = wrong or "no id"
    elif given is UNSET or memoryview(given)[0] != _BRACE:
        wrong = wrong or "arguments that are not an object"
    if n in found.doubtful:
        odd.arguments(found, n, block)
    return Call(
        n,
        part,
        id or "",
        found.records.lanes.get(n, "main"),
        block.name and intern(block.name),
        side_effect,
        batch,
        block.type != "tool_use",
        wrong,
    )


def _result(found: Transcript, n: int, part: int, block: Block, line: Line) -> None:
    """The block, and in `odd` what is wrong with it."""
    size, text = None, ""
    if block.content is not UNSET:
        content = memoryview(block.content)
        size = len(content)
        if content[0] != _QUOTE or content[1] in _TELLING:
            text = _opening(content)
        if content[0] != _QUOTE or n in found.doubtful:
            odd.result(found, n, part, block, content)
    is_placeholder = bool(line.is_synthetic)
    if text:
        is_placeholder = is_placeholder or text.startswith(_placeholders())
        spilled = _SPILLED.search(text) if text.startswith("<persisted-output>") else None
        if spilled is not None:
            found.spills.append((n, spilled[1]))
    found.results.append(
        Result(
            n,
            part,
            block.tool_use_id or "",
            found.records.lanes.get(n, "main"),
            "error" if block.is_error else "ok",
            is_placeholder,
            text.startswith(MARK),
            block.type != "tool_result",
            size,
        )
    )


def _opening(content: memoryview) -> str:
    """The first characters of the first text if they may tell something."""
    start = _FIRST_TEXT.match(content[:_START])
    if start is None or start.end() >= len(content) or content[start.end()] not in _TELLING:
        return ""
    literal = bytes(content[start.end() : _START]).split(b'"', 1)[0]
    return literal.replace(b"\\n", b"\n").decode("utf-8", "replace")


class _FullMessage(Struct):
    content: Raw | UnsetType = UNSET


class _Full(Struct):
    message: _FullMessage | None = None
    attachment: Raw | UnsetType = UNSET
    content: Raw | UnsetType = UNSET


_full = msgspec.json.Decoder(_Full).decode
_list = msgspec.json.Decoder(list[Raw]).decode
_TYPES = {
    "text": "text",
    "thinking": "reasoning",
    "redacted_thinking": "reasoning",
    "image": "image",
}


def parts_of(session: int, n: int, piece: Piece) -> list[PartRow]:
    """Every block of a line, verbatim and as text."""
    return [
        _part(session, n, number, bytes(memoryview(block)))
        for number, block in enumerate(_native(piece))
    ]


def _native(piece: Piece) -> list[Raw]:
    try:
        full = _full(piece.raw)
    except ValueError:  # a damaged line, or fields of wrong types: as it was read
        full = _rewritten(piece.obj)
    if full.message is not None and full.message.content is not UNSET:
        content = full.message.content
        is_list = bytes(memoryview(content)[:1]) == b"["
        return _list(content) if is_list else [content]
    if full.attachment is not UNSET:
        return [full.attachment]
    return [] if full.content is UNSET else [full.content]


def _rewritten(value: object) -> _Full:
    if not isinstance(value, dict):
        return _Full()
    full = _Full()
    message = value.get("message")
    if isinstance(message, dict) and "content" in message:
        full.message = _FullMessage(raw(message["content"]))
    if "attachment" in value:
        full.attachment = raw(value["attachment"])
    if "content" in value:
        full.content = raw(value["content"])
    return full


def _part(session: int, n: int, number: int, data: bytes) -> PartRow:
    value = _value(data)
    if not isinstance(value, dict):
        text = value if isinstance(value, str) else None
        kind = "text" if text is not None else "other"
        return PartRow(session, n, number, kind, None, len(data), text, data)
    native = str(value.get("type"))
    call_id = value.get("id") if native in CALLS else value.get("tool_use_id")
    return PartRow(
        session,
        n,
        number,
        _canonical(native),
        call_id if isinstance(call_id, str) else None,
        len(data),
        _text(value),
        data,
    )


def _value(data: bytes) -> object:
    try:
        return load(data).obj
    except (ValueError, RecursionError):
        return None


def _canonical(native: str) -> str:
    if native in CALLS:
        return "call"
    return "result" if native.endswith("tool_result") else _TYPES.get(native, "other")


def _text(block: dict[str, object]) -> str | None:
    for key in ("text", "thinking"):
        value = block.get(key)
        if isinstance(value, str):
            return value
    if "input" in block:
        return json.dumps(block["input"], ensure_ascii=False, separators=(",", ":"))
    content = block.get("content")
    if isinstance(content, list):
        texts = [item["text"] for item in content if isinstance(item, dict) and "text" in item]
        return "\n".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else None
