"""The walk over the records of one rollout file."""

from collections.abc import Sequence

from suture.stores._jsonl import Healthy, Piece
from suture.stores._nul import suspect, suspects
from suture.stores.codex import vocabulary
from suture.stores.codex.events import ENDS_RESPONSE, HANDLERS
from suture.stores.codex.items import ITEMS, item
from suture.stores.codex.lines import Line, Payload
from suture.stores.codex.messages import message_kind
from suture.stores.codex.records import SKIPPED
from suture.stores.codex.rollout import Handle, Rollout

_MODEL_OUTPUT = frozenset({"reply", "reasoning", "call"})
_NONE = Payload()

Meaning = tuple[str, str, Handle | None]


class Walk:
    def __init__(self, found: Rollout) -> None:
        self._found = found
        self._turn_ids: dict[str, str] = {}  # one string object a turn
        self._meanings: dict[tuple[str | None, str | None], Meaning] = {}

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
        if wrong and self._meaning(line, line.payload or _NONE)[1] != "unknown":
            skips = SKIPPED if wrong[0].startswith("ordinal is ") else ""
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
        add_kind, add_type = records.kind.append, records.type.append
        add_group, add_turn, add_id = records.group.append, records.turn.append, records.id.append
        meanings, turn_ids = self._meanings, self._turn_ids
        for line in lines:
            payload = line.payload
            if payload is None:
                payload = _NONE
                found.strange.add(n)
            known = meanings.get((line.type, payload.type))
            full_type, kind, handle = known if known is not None else self._meaning(line, payload)
            if kind == "prompt":
                kind = message_kind(payload)
            if kind in _MODEL_OUTPUT:
                if found.group is None:
                    found.group, found.group_start = f"r{n}", n
                add_group(found.group)
            else:
                add_group(None)
                if kind in ENDS_RESPONSE:
                    found.group = found.called = None
            turn = payload.turn_id
            if turn is None:
                through = payload.internal_chat_message_metadata_passthrough
                if through is not None:
                    turn = through.turn_id
            add_turn(found.turns.open_id if turn is None else turn_ids.setdefault(turn, turn))
            if not found.numbered and line.ordinal is not None:
                found.numbered = found.history.paginated = True
            add_kind(kind)
            add_type(full_type)
            add_id(payload.id)
            if handle is not None:
                handle(found, n, kind, line, payload)
            elif kind == "unknown":
                found.strange.add(n)
            n += 1
        records.ordinal += [line.ordinal for line in lines]
        records.stamp += [line.timestamp for line in lines]
        records.cut_chunk()
        found.calls.settle()
        found.results.settle()
        found.steps.all.settle()

    def _meaning(self, line: Line, payload: Payload) -> Meaning:
        full_type, kind = vocabulary.meaning(line.type, payload.type)
        handle = ITEMS.get(kind, item) if line.type == "response_item" else HANDLERS.get(full_type)
        meaning = (full_type, kind, handle)
        self._meanings[line.type, payload.type] = meaning
        return meaning
