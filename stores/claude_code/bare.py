"""Items of a content list that are no blocks: texts without one, null, numbers.

Measured on Claude Code 2.1.197: null anywhere and any of them in a reply keep the session from
being loaded; a text or a number in a user's line is sent as it is.
"""

from typing import Any

from suture.model.rows import OddPartRow
from suture.stores._json_span import span
from suture.stores._jsonl import Piece
from suture.stores.claude_code.kinds import SPOKEN
from suture.stores.claude_code.view import Transcript

_LOADS = "the provider refuses it"
_STOPS = "some versions cannot load the session then"


def bare_items(found: Transcript, n: int, piece: Piece) -> None:
    """One row a record and kind: what goes is taken out at once, for its commas."""
    obj: Any = piece.obj
    message = obj.get("message") if obj.get("type") in SPOKEN else None
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, list):
        return
    for part, item in enumerate(content):
        if isinstance(item, dict):
            continue
        kind = "bare_text" if isinstance(item, str) else "no_block"
        what = "a text without a block" if isinstance(item, str) else "an item that is no block"
        stops = item is None or obj["type"] == "assistant"
        detail = f"{what} in the content; {_STOPS if stops else _LOADS}"
        row = OddPartRow(found.session, n, part, kind, detail)
        if kind == "bare_text":
            found.odd.append(_placed(row, piece, ("message", "content", part)))
        elif all(not isinstance(other, dict) for other in content):
            found.odd.append(row)  # the record holds nothing
            return
        else:
            found.odd.append(_with_comma(row, piece, part))


def _placed(row: OddPartRow, piece: Piece, path: tuple[str | int, ...]) -> OddPartRow:
    place = span(bytes(piece.raw), path) if piece.raw else None
    if place is None:
        return row
    return row._replace(offset=piece.offset + place[0], length=place[1] - place[0])


def _with_comma(row: OddPartRow, piece: Piece, part: int) -> OddPartRow:
    """The item with the comma before it or, of the first one, behind it."""
    raw, other = bytes(piece.raw), part - 1 if part else 1
    own, near = (span(raw, ("message", "content", at)) if raw else None for at in (part, other))
    if own is None or near is None:
        return row
    start, end = (near[1], own[1]) if part else (own[0], near[0])
    return row._replace(offset=piece.offset + start, length=end - start)
