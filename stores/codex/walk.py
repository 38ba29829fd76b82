"""The walk over the records of one rollout file."""

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
_MAY_BE_LIST = f"payload.{_OF_ITEMS[1]} is an array"  # read as its keys in order, [] as none
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
    name = wrong.partition(" is ")[0]
    if name == "ordinal":
        return True
    if wrong == _MAY_BE_LIST:
        return False
    if line.type == "response_item":
        known = (*_OF_ITEMS, *_OF_TYPES.get(payload.type or "", ()))
        return name.removeprefix("payload.") in known
    return line.type == "compacted" and name.startswith("payload.replacement_history")


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
