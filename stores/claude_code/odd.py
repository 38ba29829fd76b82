"""Content that a provider refuses or a client stumbles over; healthy blocks leave nothing here."""

import json
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from suture.model.rows import EMPTY_ALONE, OddPartRow
from suture.model.version import parts
from suture.stores._images import examine
from suture.stores._json_span import Path, span
from suture.stores._nul import NUL, NUL_ESCAPE
from suture.stores.claude_code.lines import Block, Line
from suture.stores.claude_code.view import Image, Transcript

_QUOTE, _LIST = b'"['
_BLANK = re.compile(rb'"(?:[ \t\r\n]|\\[nrtf]|\\u00(?:0[9abcABCdD]|20))+"')
_BLANK_STARTS = b" \\\t"
_HOLLOW_SINCE = (2, 1, 69)  # from here on an empty signed thinking block is the stored form
_SHORT = 6  # bytes: no signature is shorter, and no result that a tool wrote
_CLAUDE = "claude"


class _Inner(Struct, gc=False):
    type: str = ""
    source: Raw | UnsetType = UNSET


class _Source(Struct, gc=False):
    type: str | None = None
    media_type: str | None = None
    data: Raw | UnsetType = UNSET


_inner = msgspec.json.Decoder(list[_Inner]).decode
_source = msgspec.json.Decoder(_Source).decode


class _Limits(Struct, frozen=True):
    base64_bytes: int
    side: int
    many: int
    side_of_many: int


@cache
def _limits() -> _Limits:
    data = json.loads(files("suture.stores.claude_code").joinpath("limits.json").read_bytes())
    return _Limits(**{k: v for k, v in data["images"].items() if k not in ("as_of", "source")})


def text(found: Transcript, n: int, part: int, content: Sequence[Block]) -> None:
    raw = content[part].text
    if raw is UNSET:
        return
    view = memoryview(raw)
    if view[0] != _QUOTE:
        return
    if len(view) == 2:
        detail = EMPTY_ALONE if len(content) == 1 else "a text of length 0 beside other blocks"
        _add(found, n, part, "empty_text", detail)
    elif view[1] in _BLANK_STARTS and _BLANK.fullmatch(view):
        _add(found, n, part, "blank_text", "a text of white space only")
    if n in found.doubtful and bytes(view).find(NUL) >= 0:
        nul(found, n, None)


def plain(found: Transcript, n: int, line: Line) -> None:
    """A message whose content is one string, or nothing."""
    content = line.message.content if line.message is not None else None
    if line.type == "assistant" and not content:
        _add(found, n, -1, "empty_message", "a reply without content")
    if content is None:
        what = "a reply" if line.type == "assistant" else "a user line"
        _add(found, n, -1, "unloadable", f"{what} without content")
    elif line.type == "assistant" and content:
        _text_for_list(found, n)
    elif isinstance(content, str):
        if not content:
            _add(found, n, -1, "empty_text", EMPTY_ALONE)
        elif content.isspace() and content.isascii():
            _add(found, n, -1, "blank_text", "a text of white space only")
        elif "\0" in content:
            nul(found, n, None)


def _text_for_list(found: Transcript, n: int) -> None:
    row = _row(found, n, -1, "text_for_list", "a reply that is a text, not a list of blocks", None)
    recovered = n in found.records.recovered
    place = None if recovered else span(_bytes(found, n), ("message", "content"))
    if place is not None:
        offset: int = found.records.value("offset", n)
        row = row._replace(offset=offset + place[0], length=place[1] - place[0])
    found.odd.append(row)


def no_parent(found: Transcript, n: int) -> None:
    _add(found, n, -1, "no_parent", "a record without parentUuid")


def no_attachment(found: Transcript, n: int) -> None:
    _add(found, n, -1, "unloadable", "an attachment line without its attachment")


def untimed_leaf(found: Transcript, leaf: int | None) -> list[OddPartRow]:
    """Measured on 2.1.197: only the record that a resume starts from needs a time."""
    if leaf is None or found.records.value("time", leaf) is not None:
        return []
    return [_row(found, leaf, -1, "untimed_leaf", "the last record has no time", None)]


def said_again(found: Transcript) -> list[OddPartRow]:
    detail = "the text before it stands again under another uuid, and is sent twice"
    return [_row(found, n, 0, "said_again", detail, None) for n in found.steps.again]


def arguments(found: Transcript, n: int, block: Block) -> None:
    """Of a record that is in doubt."""
    if block.input is UNSET:
        return
    if bytes(memoryview(block.input)).find(NUL) >= 0:
        nul(found, n, block.id)


def thinking(found: Transcript, n: int, part: int, block: Block, line: Line) -> None:
    signature = block.data if block.type == "redacted_thinking" else block.signature
    if signature is UNSET or len(memoryview(signature)) < _SHORT:
        what = "data" if block.type == "redacted_thinking" else "signature"
        _add(found, n, part, "unsigned_thinking", f"{block.type} without {what}")
        return
    empty = block.thinking is not UNSET and bytes(memoryview(block.thinking)[:2]) == b'""'
    if empty and _version(line.version) < _HOLLOW_SINCE:
        _add(found, n, part, "hollow_thinking", "signed thinking without its text")
    model = line.message.model if line.message is not None else None
    if model and _CLAUDE not in model:
        _add(found, n, part, "foreign_reasoning", model)


@cache
def _version(text: str | None) -> tuple[int, ...]:
    return tuple(part or 0 for part in parts(text or "9"))


def result(found: Transcript, n: int, part: int, block: Block, content: memoryview) -> None:
    if n in found.doubtful and bytes(content).find(NUL) >= 0:
        nul(found, n, block.tool_use_id)
    if content[0] == _LIST:
        data = bytes(content)
        if data.find(b'"image"') >= 0:
            _inner_images(found, n, part, block.tool_use_id, data)
    elif content[0] != _QUOTE:
        detail = "the content of the result is no text and no list of blocks"
        _add(found, n, part, "result_shape", detail, block.tool_use_id)


def behind(found: Transcript, n: int, part: int, block: Block) -> None:
    """One row a record."""
    if not (found.odd and found.odd[-1].n == n and found.odd[-1].kind == "late_result"):
        detail = "content stands before the result in its message"
        _add(found, n, part, "late_result", detail, block.tool_use_id)


def tool_use_result(found: Transcript, n: int, raw: Raw) -> None:
    """What the client draws from; the model does not see it."""
    if len(memoryview(raw)) >= _SHORT or (data := bytes(memoryview(raw)))[:1] in (b'"', b"["):
        return
    last = found.results.last
    call_id = last.call_id if last is not None and last.n == n else None
    row = _row(found, n, -1, "result_shape", f"toolUseResult is {data.decode()}", call_id)
    place = None if n in found.records.recovered else _member(found, n)
    if place is not None:
        row = row._replace(offset=place[0], length=place[1] - place[0])
    found.odd.append(row)


def _member(found: Transcript, n: int) -> tuple[int, int] | None:
    """The key with its value and a comma."""
    line = _bytes(found, n)
    value = span(line, ("toolUseResult",))
    if value is None:
        return None
    start = line.rfind(b'"toolUseResult"', 0, value[0])
    before, after = line[:start].rstrip(), line[value[1] :]
    offset: int = found.records.value("offset", n)
    if before.endswith(b","):
        return offset + len(before) - 1, offset + value[1]
    comma = len(after) - len(after.lstrip()) + 1 if after.lstrip().startswith(b",") else 0
    return offset + start, offset + value[1] + comma


def nul(found: Transcript, n: int, call_id: str | None) -> None:
    """One row a record, with the place of every escape in what is sent."""
    if found.odd and found.odd[-1].n == n and found.odd[-1].kind == "nul_text":
        return
    at = None
    if n not in found.records.recovered:
        line = _bytes(found, n)
        content = span(line, ("message", "content"))
        if content is None:
            return
        offset: int = found.records.value("offset", n)
        at = [offset + m.start(1) for m in NUL_ESCAPE.finditer(line, *content)]
        if not at:
            return  # a text about the escape
    row = _row(found, n, -1, "nul_text", "U+0000 in a text", call_id)
    found.odd.append(row._replace(at=at))


def image(found: Transcript, n: int, path: tuple[int, ...], source: Raw | UnsetType,
          call_id: str | None = None) -> None:  # fmt: skip
    if source is UNSET:
        return
    try:
        stated = _source(source)
    except (ValueError, RecursionError):
        return
    if stated.type != "base64":
        return  # a link or a file id: nothing of it is stored here
    data = b"" if stated.data is UNSET else bytes(memoryview(stated.data))[1:-1]
    problem, side = examine(stated.media_type, data)
    found.images.append(Image(n, path, call_id, len(data), side, problem))


def _inner_images(found: Transcript, n: int, part: int, call_id: str | None, data: bytes) -> None:
    try:
        blocks = _inner(data)
    except (ValueError, RecursionError):
        return
    for number, block in enumerate(blocks):
        if block.type == "image":
            image(found, n, (part, number), block.source, call_id)


def image_rows(found: Transcript) -> list[OddPartRow]:
    """What is wrong with images, once it is known which of them are sent together."""
    limits = _limits()
    many = sum(found.records.sent[image.n] > 0 for image in found.images) > limits.many
    rows = []
    for image in found.images:
        n = image.n
        side = limits.side_of_many if many and found.records.sent[n] else limits.side
        kind, size, limit, detail = "large_image", image.bytes, limits.base64_bytes, ""
        if image.bytes > limits.base64_bytes:
            detail = f"an image of {image.bytes} bytes in base64"
        elif image.problem is not None:
            kind, detail = "bad_image", image.problem
        elif image.side is not None and image.side > side:
            size, limit, detail = image.side, side, f"an image of {image.side} pixels a side"
        else:
            continue
        row = _row(found, n, image.path[0], kind, detail, image.call_id)
        row = row._replace(bytes=size, limit=limit if kind == "large_image" else None)
        rows.append(_placed(found, n, row, image.path))
    return rows


def _placed(found: Transcript, n: int, row: OddPartRow, path: tuple[int, ...]) -> OddPartRow:
    steps: Path = ("message", "content", path[0])
    if len(path) > 1:
        steps = (*steps, "content", path[1])
    place = None if n in found.records.recovered else span(_bytes(found, n), steps)
    if place is None:
        return row
    offset: int = found.records.value("offset", n)
    return row._replace(offset=offset + place[0], length=place[1] - place[0])


def _bytes(found: Transcript, n: int) -> bytes:
    return bytes(found.data[found.records.span(n)])


def _add(found: Transcript, n: int, part: int, kind: str, detail: str,
         call_id: str | None = None) -> None:  # fmt: skip
    found.odd.append(_row(found, n, part, kind, detail, call_id))


def _row(found: Transcript, n: int, part: int, kind: str, detail: str,
         call_id: str | None) -> OddPartRow:  # fmt: skip
    return OddPartRow(found.session, n, part, kind, detail, call_id=call_id)
