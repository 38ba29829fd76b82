"""Content that a provider refuses; healthy items leave nothing here."""

import json
from functools import cache
from pathlib import Path

import msgspec
from msgspec import Raw, Struct

from suture.model.rows import OddPartRow
from suture.stores._images import data_url, examine
from suture.stores._json_span import Path as Steps
from suture.stores._json_span import span
from suture.stores._nul import NUL, NUL_ESCAPE
from suture.stores.codex.lines import NOTHING, Payload, first_byte
from suture.stores.codex.records import Records

_LIST = (b"[",)
_IMAGE = b'"input_image"'
_NONE = (b"", b"null", b"[]", b'""')
_MOST_OF_NONE = max(map(len, _NONE))
_OPENAI = (None, "openai")  # no other provider is known to want encrypted reasoning


class _Block(Struct, gc=False):
    type: str | None = None
    image_url: Raw = NOTHING


_blocks = msgspec.json.Decoder(list[_Block]).decode


@cache
def _most_bytes() -> int:
    data = json.loads(Path(__file__).with_name("limits.json").read_text("utf-8"))
    return int(data["images"]["base64_bytes"])


def _is_none(value: Raw) -> bool:
    return len(value) <= _MOST_OF_NONE and bytes(value) in _NONE


class Look:
    """Collects the odd parts of one rollout. Rows get their session when the file is read."""

    def __init__(self, data: memoryview, records: Records) -> None:
        self._data = data
        self._records = records
        self.rows: list[OddPartRow] = []
        self.provider: str | None = None  # as the header names it
        self.doubtful: frozenset[int] = frozenset()  # of the records at hand: a NUL may be in them

    def item(self, n: int, item: Payload) -> None:
        content = item.output or item.content
        may_show = len(content) > len(_IMAGE) and first_byte(content) == _LIST
        if (may_show and bytes(content).find(_IMAGE) >= 0) or n in self.doubtful:
            for name in ("output", "content", "arguments", "input"):
                self._content(n, item, ("payload", name), getattr(item, name))

    def snapshot(self, n: int, items: list[Payload]) -> None:
        """The items of the last replacement history: the others reach no model."""
        for part, item in enumerate(items):
            at = ("payload", "replacement_history", part)
            if item.type == "reasoning":
                self.reasoning(n, part, item)
            elif item.output:
                self._content(n, item, (*at, "output"), item.output, part)
            else:
                self._content(n, item, (*at, "content"), item.content, part)

    def tail(self, n: int) -> None:
        """The last item that is sent."""
        if self._records.value("kind", n) == "reasoning" and self.provider in _OPENAI:
            self._add(n, 0, "bad_reasoning", "nothing follows the reasoning")

    def reasoning(self, n: int, part: int, item: Payload) -> None:
        if not _is_none(item.content):
            detail = "reasoning with its text, as another provider stores it"
            self._add(n, part, "foreign_reasoning", detail)
        elif _is_none(item.encrypted_content) and self.provider in _OPENAI:
            self._add(n, part, "bad_reasoning", "reasoning without encrypted content")

    def _content(self, n: int, item: Payload, at: Steps, content: Raw, part: int = 0) -> None:
        data = bytes(content)
        if data.find(NUL) >= 0:
            self._nul(n, item, at)
        if data[:1] != b"[" or data.find(_IMAGE) < 0:
            return
        try:
            blocks = _blocks(data)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return
        for number, block in enumerate(blocks):
            if block.type == "input_image":
                self._image(n, item, (*at, number), bytes(block.image_url)[1:-1], part)

    def _image(self, n: int, item: Payload, at: Steps, url: bytes, part: int) -> None:
        found = data_url(url)
        if found is None:
            return
        media, data = found
        if len(data) > _most_bytes():
            detail, kind = f"an image of {len(data)} bytes in base64", "large_image"
        else:
            problem, _ = examine(media, data)
            if problem is None:
                return
            detail, kind = problem, "bad_image"
        row = self._row(n, part, kind, detail, item)
        place = None if n in self._records.recovered else span(self._bytes(n), at)
        if place is not None:
            offset, length = self._records.value("offset", n) + place[0], place[1] - place[0]
            row = row._replace(offset=offset, length=length)
        limit = _most_bytes() if kind == "large_image" else None
        self.rows.append(row._replace(bytes=len(data), limit=limit))

    def _nul(self, n: int, item: Payload, at: Steps) -> None:
        row = self._row(n, 0, "nul_text", "U+0000 in a text", item)
        if n not in self._records.recovered:
            line, offset = self._bytes(n), self._records.value("offset", n)
            place = span(line, at) or (0, 0)
            found = [offset + m.start(1) for m in NUL_ESCAPE.finditer(line, *place)]
            if not found:
                return  # a text about the escape
            row = row._replace(at=found)
        self.rows.append(row)

    def _bytes(self, n: int) -> bytes:
        return bytes(self._data[self._records.span(n)])

    def _add(self, n: int, part: int, kind: str, detail: str) -> None:
        self.rows.append(self._row(n, part, kind, detail, None))

    def _row(self, n: int, part: int, kind: str, detail: str, item: Payload | None) -> OddPartRow:
        call_id = item.call_id if item is not None else None
        return OddPartRow(0, n, part, kind, detail, call_id=call_id)
