"""Records that a repair adds: answers, notes, the end of a turn."""

from collections.abc import Collection, Sequence
from typing import Any

from suture.model.answer import answer_text, note_text, restored_text
from suture.model.edit import SpanEdit
from suture.model.errors import Unsupported
from suture.model.operation import Answer, Note, Restore, SetState
from suture.stores._json_span import span
from suture.stores._store import Translated
from suture.stores.codex import compose
from suture.stores.codex.aborted import is_told
from suture.stores.codex.calls import Call
from suture.stores.codex.clock import stamp
from suture.stores.codex.evidence import evidence_text
from suture.stores.codex.inserted import New, by_call, insert
from suture.stores.codex.records import BESIDE, SNAPSHOT, Record
from suture.stores.codex.target import Target
from suture.stores.codex.turns import Turn

Addition = Answer | Restore | Note | SetState
_TALK = frozenset({"prompt", "reply", "call", "summary", "boundary"})
_ENDED = _TALK | {"abort"}  # a note belongs before the end of its turn


def add(
    target: Target,
    operations: Sequence[tuple[int, Addition]],
    cut: int | None = None,
    dropped: Collection[int] = (),
) -> dict[int, Translated]:
    """Translations by operation number. What goes to the end of the file is one append.

    The same plan takes out every record after `cut` and the `dropped` ones: a call among them
    needs no answer.
    """
    kept = target.records if cut is None else target.records[: cut + 1]
    made: dict[int, Translated] = {}
    tail: list[New] = []
    middle: list[New] = []
    abort: list[int] = []
    for number, operation in operations:
        match operation:
            case SetState():
                _check_turn(target, operation, kept)
                abort.append(number)
            case Note():
                new = _note(target, number, operation)
                (middle if _goes_on(kept, operation.n, None, _ENDED) else tail).append(new)
            case _:
                call = _call(target, operation)
                if call.n >= len(kept) or call.n in dropped:
                    made[number] = Translated((), "append")
                    continue
                if call.lane != "main":
                    made[number] = _in_snapshot(target, operation, call)
                    continue
                new = _answer(target, number, operation, call)
                (middle if _goes_on(kept, call.n, call.batch, _TALK) else tail).append(new)
    inserted, highest = insert(target, middle)
    made |= inserted
    last = len(target.records) - 1
    stays = target.paginated or (last < len(kept) and last not in dropped)
    ordinal = highest + 1 if target.paginated else None
    made |= _append(target, kept, tail, abort, ordinal, stays)
    return made


def _call(target: Target, operation: Answer | Restore) -> Call:
    call = target.calls.get((operation.n, operation.part, operation.call_id))
    if call is None:
        raise Unsupported(f"record {operation.n} holds no call {operation.call_id}")
    return call


def _goes_on(kept: Sequence[Record], n: int, batch: str | None, kinds: Collection[str]) -> bool:
    """Whether the conversation goes on after this record and its parallel siblings."""
    later = (kept[at] for at in range(n + 1, len(kept)))  # no copy of all: the first may do
    return any(
        record.kind in kinds and (record.group is None or record.group != batch) for record in later
    )


def _text(target: Target, operation: Answer | Restore, call: Call) -> tuple[str, dict[str, Any]]:
    if isinstance(operation, Answer):
        last = compose.last_time(target.records)
        time = None if last is None else stamp(last)
        text = answer_text(call.name, operation.outcome, time, operation.words)
        return text, {"rule": "orphan-call", "outcome": operation.outcome.value}
    number = operation.evidence.removeprefix("record ")
    if not number.isdigit():
        raise Unsupported(f"{operation.evidence} is no record of a rollout")
    proof = target.record(int(number))
    payload = target.value(proof).get("payload")
    if not isinstance(payload, dict):
        raise Unsupported(f"{operation.evidence} holds no outcome")
    where = f"{proof.type}, line {proof.line} of the session log"
    mark = {"rule": "orphan-call", "outcome": "recorded", "restored_from": where}
    return restored_text(f"a record that the client wrote ({where})", evidence_text(payload)), mark


def _payload(target: Target, operation: Answer | Restore, call: Call) -> tuple[Any, dict[str, Any]]:
    if call.family not in ("function", "local_shell", "custom", "tool_search"):
        raise Unsupported(f"nothing answers a {call.family} call")
    text, mark = _text(target, operation, call)
    item_id = None if call.bad_item_id else call.item_id
    return compose.output(call.family, call.call_id, item_id, text), mark


def _answer(target: Target, number: int, operation: Answer | Restore, call: Call) -> New:
    payload, mark = _payload(target, operation, call)
    return New(number, call.n, "response_item", payload, mark)


def _note(target: Target, number: int, note: Note) -> New:
    last = compose.last_time(target.records)
    text = note_text(note.tools, None if last is None else stamp(last))
    mark = {"rule": "orphan-call", "dropped": list(note.tools)}
    return New(number, note.n, "response_item", compose.user_message(text), mark)


def _check_turn(target: Target, operation: SetState, kept: Sequence[Record]) -> None:
    entity, _, id = operation.entity.partition(" ")
    if entity != "turn" or operation.value != "aborted":
        raise Unsupported(f"a rollout stores no state of {operation.entity!r}")
    turn = _open_turn(target, kept)
    if turn is None or (turn.id or "") not in ("", id):
        raise Unsupported(f"turn {id} is not the open turn at the end of the rollout")


def _open_turn(target: Target, kept: Sequence[Record]) -> Turn | None:
    """The turn that runs where the kept records end."""
    end = len(kept)
    begun = [turn for turn in target.rollout.turns.all if turn.start_n < end]
    if begun and (begun[-1].end_n is None or begun[-1].end_n >= end):
        return begun[-1]
    return None


def _append(
    target: Target,
    kept: Sequence[Record],
    tail: Sequence[New],
    abort: Sequence[int],
    ordinal: int | None,
    stays: bool,
) -> dict[int, Translated]:
    """What Codex itself writes when a turn is interrupted, in its order. `stays`: the bytes of the
    last record do, so it needs a line end."""
    numbers = [*(new.number for new in tail), *abort]
    if not numbers:
        return {}
    last = compose.last_time(target.records if target.paginated else kept)
    entries = [(new.kind, new.payload, new.mark) for new in sorted(tail, key=by_call)]
    turn = _open_turn(target, kept)
    if turn is not None:
        mark = {"rule": "open-turn"}
        if not is_told(target.rollout, turn, len(kept)):
            entries.append(("response_item", compose.user_message(compose.ABORTED), mark))
        entries.append(("event_msg", compose.turn_aborted(turn.id, last), mark))
    lines = [
        compose.line(compose.later(last, i + 1), None if ordinal is None else ordinal + i, *entry)
        for i, entry in enumerate(entries)
    ]
    size = len(target.data)
    if stays and size and target.data[size - 1] != 0x0A:
        lines.insert(0, b"\n")
    edit = SpanEdit(target.path, size, 0, (b"".join(lines),))
    first = min(numbers)
    return {number: Translated((edit,) if number == first else (), "append") for number in numbers}


def _in_snapshot(target: Target, operation: Answer | Restore, call: Call) -> Translated:
    """Into the history that a compaction stored, right after the call. What Codex knows of each
    item stands in a list of its own: 0.171 skips the compaction unless the two are as long."""
    record = target.record(call.n)
    raw = target.raw(record)
    found = span(raw, (*SNAPSHOT, call.part))
    if found is None:
        raise Unsupported(f"item {call.part} of record {call.n} cannot be found")
    payload, _ = _payload(target, operation, call)
    edits = [SpanEdit(target.path, record.offset + found[1], 0, (b"," + compose.dumps(payload),))]
    beside = span(raw, (*BESIDE, call.part))
    if beside is not None:
        edits.append(SpanEdit(target.path, record.offset + beside[1], 0, (b",{}",)))
    edits.sort(key=lambda edit: edit.offset)
    target.moves(edits[0].offset)
    return Translated(tuple(edits), "payload")
