"""The walk over the records of one rollout file."""

import re
from collections.abc import Sequence
from typing import cast

from suture.stores._jsonl import Healthy, Piece
from suture.stores._nul import suspect, suspects
from suture.stores.codex.lines import Line, Payload
from suture.stores.codex.meanings import IS_SENT, MEANINGS, MESSAGES
from suture.stores.codex.messages import message_kind
from suture.stores.codex.records import SKIPPED
from suture.stores.codex.rollout import Rollout

_NONE = Payload()
_OF_ITEMS = ("id", "internal_chat_message_metadata_passthrough")
_HISTORY = "payload.replacement_history"
_STORED = re.compile(r"payload\.replacement_history\[(\d+)\]\.(.*)", re.S)
_MAY_BE_LIST = f"{_OF_ITEMS[1]} is an array"  # read as its keys in order, [] as none
_OF_TYPES = {
    "message": ("role", "phase"),
    "function_call": ("name", "call_id"),
    "custom_tool_call": ("name", "call_id"),
    "local_shell_call": ("call_id",),
    "tool_search_call": ("call_id", "execution"),
    "function_call_output": ("call_id", "name"),
    "custom_tool_call_output": ("call_id", "name"),
    "tool_search_output": ("call_id", "execution"),
    "additional_tools": ("role",),
}


def _is_read(line: Line, payload: Payload, wrong: str) -> bool:
    """Whether a client wants this value, and skips the line for its type."""
    if wrong.startswith("ordinal is "):
        return True
    if line.type == "response_item":
        return _is_read_of_item(payload, wrong.removeprefix("payload."))
    if line.type != "compacted" or not wrong.startswith(_HISTORY):
        return False
    at = _STORED.match(wrong)
    if at is None or payload.replacement_history is None:
        return True
    item = payload.replacement_history[int(at[1])]
    return at[2].startswith("type is ") or _is_read_of_item(item, at[2])


def _is_read_of_item(item: Payload, wrong: str) -> bool:
    if wrong == _MAY_BE_LIST:
        return False
    return wrong.partition(" is ")[0] in (*_OF_ITEMS, *_OF_TYPES.get(item.type or "", ()))


class Walk:
    def __init__(self, found: Rollout) -> None:
        self._found = found
        self._turn_ids: dict[str, str] = {}  # one string object a turn

    def stretch(self, lines: Healthy[Line]) -> None:
        """All the records of a stretch of healthy lines."""
        found, first = self._found, len(self._found.records)
        found.records.take_places(lines)
        found.odd.doubtful = suspects(first, lines.raws, lines.text)
        self._walk(first, lines.values)

    def piece(self, piece: Piece, line: Line, wrong: Sequence[str] = ()) -> int:
        """One record; returns its n."""
        found, n = self._found, len(self._found.records)
        found.records.add_place(piece)
        payload = line.payload or _NONE
        if wrong and MEANINGS[line.type, payload.type].kind != "unknown":
            skips = SKIPPED if any(_is_read(line, payload, what) for what in wrong) else ""
            found.records.note(n, "shape", "; ".join(wrong[:3]) + skips)
        found.odd.doubtful = suspect(n, piece.raw)
        self._walk(n, [line])
        if piece.obj is not None:
            found.strange.discard(n)  # all of its keys were looked at
        return n

    def _walk(self, n: int, lines: Sequence[Line]) -> None:
        # Every record of every rollout passes here: one loop with names of its own is twice as
        # fast as a function for each of its steps.
        found, records = self._found, self._found.records
        payloads = cast("list[Payload]", [line.payload for line in lines])
        if not all(payloads):
            found.strange.update(at for at, of in enumerate(payloads, n) if not of)
            payloads = [of or _NONE for of in payloads]
        types = zip([line.type for line in lines], [of.type for of in payloads], strict=True)
        meanings = list(map(MEANINGS.__getitem__, types))
        ordinals = [line.ordinal for line in lines]
        codes = bytearray([meaning.code for meaning in meanings])
        found.history.sent += codes.translate(IS_SENT)
        if found.history.numbered_from is None:
            found.history.look_for_ordinals(n, ordinals)
        first, groups, turns, turn_ids = n, records.group, records.turn, self._turn_ids
        for line, payload, by_type in zip(lines, payloads, meanings, strict=True):
            meaning, kind = by_type, by_type.kind
            if kind == "prompt":
                kind = message_kind(payload)
                meaning = MESSAGES[kind]
                codes[n - first] = meaning.code
            if meaning.is_output:
                group = found.group
                if group is None:
                    found.group = group = "r" + str(n)
                    found.group_start = n
                groups.append(group)
            else:
                groups.append(None)
                if meaning.ends_response:
                    found.group = found.called = None
            turn = payload.turn_id
            if turn is None:
                through = payload.internal_chat_message_metadata_passthrough
                if through is not None:
                    turn = through.turn_id
            turns.append(found.turns.open_id if turn is None else turn_ids.setdefault(turn, turn))
            handle = meaning.handle
            if handle is not None:
                handle(found, n, kind, line, payload)
            n += 1
        records.codes += codes
        records.id += [payload.id for payload in payloads]
        records.ordinal += ordinals
        records.stamp += [line.timestamp for line in lines]
        records.cut_chunk()
        found.calls.settle()
        found.results.settle()
        found.steps.all.settle()
