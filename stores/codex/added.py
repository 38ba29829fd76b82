"""Records that a repair adds: answers, notes, the end of a turn."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from suture.model.answer import answer_text, note_text, restored_text
from suture.model.edit import SpanEdit
from suture.model.errors import Unsupported
from suture.model.operation import Answer, Note, Restore, SetState
from suture.stores._json_span import span
from suture.stores._store import Translated
from suture.stores.codex import compose
from suture.stores.codex.calls import Call
from suture.stores.codex.clock import stamp
from suture.stores.codex.evidence import evidence_text
from suture.stores.codex.records import Record
from suture.stores.codex.target import Target
from suture.stores.codex.turns import Turn

Addition = Answer | Restore | Note | SetState
_TALK = frozenset({"prompt", "reply", "call", "abort", "summary", "boundary"})
_TELEMETRY = frozenset(
    {"token_usage_record", "event_msg/token_count", "event_msg/thread_settings_applied"}
)


@dataclass(frozen=True, slots=True)
class _New:
    """A record to be written, and after which record it belongs."""

    number: int  # of its operation
    after: int
    kind: str
    payload: dict[str, Any]
    mark: dict[str, Any]


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
    tail: list[_New] = []
    middle: list[_New] = []
    abort: list[int] = []
    for number, operation in operations:
        match operation:
            case SetState():
                _check_turn(target, operation, kept)
                abort.append(number)
            case Note():
                new = _note(target, number, operation)
                (middle if _goes_on(kept, operation.n, None) else tail).append(new)
            case _:
                call = _call(target, operation)
                if call.n >= len(kept) or call.n in dropped:
                    made[number] = Translated((), "append")
                    continue
                if call.lane != "main":
                    made[number] = _in_snapshot(target, operation, call)
                    continue
                new = _answer(target, number, operation, call)
                (middle if _goes_on(kept, call.n, call.batch) else tail).append(new)
    made |= _insert(target, middle)
    made |= _append(target, kept, tail, abort)
    return made


def _call(target: Target, operation: Answer | Restore) -> Call:
    for call in target.rollout.calls:
        if (call.n, call.part, call.call_id) == (operation.n, operation.part, operation.call_id):
            return call
    raise Unsupported(f"record {operation.n} holds no call {operation.call_id}")


def _goes_on(kept: Sequence[Record], n: int, batch: str | None) -> bool:
    """Whether the conversation goes on after this record and its parallel siblings."""
    return any(
        record.kind in _TALK and (record.group is None or record.group != batch)
        for record in kept[n + 1 :]
    )


def _text(target: Target, operation: Answer | Restore, call: Call) -> tuple[str, dict[str, Any]]:
    if isinstance(operation, Answer):
        last = compose.last_time(target.records)
        text = answer_text(call.name, operation.outcome, None if last is None else stamp(last))
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


def _answer(target: Target, number: int, operation: Answer | Restore, call: Call) -> _New:
    payload, mark = _payload(target, operation, call)
    return _New(number, call.n, "response_item", payload, mark)


def _note(target: Target, number: int, note: Note) -> _New:
    last = compose.last_time(target.records)
    text = note_text(note.tools, None if last is None else stamp(last))
    mark = {"rule": "orphan-call", "dropped": list(note.tools)}
    return _New(number, note.n, "response_item", compose.user_message(text), mark)


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
    target: Target, kept: Sequence[Record], tail: Sequence[_New], abort: Sequence[int]
) -> dict[int, Translated]:
    """What Codex itself writes when a turn is interrupted, in its order."""
    numbers = [*(new.number for new in tail), *abort]
    if not numbers:
        return {}
    last = compose.last_time(target.records if target.paginated else kept)
    entries = [(new.kind, new.payload, new.mark) for new in sorted(tail, key=_by_call)]
    turn = _open_turn(target, kept)
    if turn is not None:
        mark = {"rule": "open-turn"}
        entries.append(("response_item", compose.user_message(compose.ABORTED), mark))
        entries.append(("event_msg", compose.turn_aborted(turn.id, last), mark))
    ordinal = max(target.ordinals, default=-1) + 1 if target.paginated else None
    lines = [
        compose.line(compose.later(last, i + 1), None if ordinal is None else ordinal + i, *entry)
        for i, entry in enumerate(entries)
    ]
    size = len(target.data)
    if size and target.data[size - 1] != 0x0A:
        lines.insert(0, b"\n")
    edit = SpanEdit(target.path, size, 0, (b"".join(lines),))
    first = min(numbers)
    return {number: Translated((edit,) if number == first else (), "append") for number in numbers}


def _by_call(new: _New) -> tuple[int, int]:
    return new.after, new.number


def _insert(target: Target, middle: Sequence[_New]) -> dict[int, Translated]:
    made: dict[int, Translated] = {}
    used: set[int] = set()
    inserts = []
    for new in sorted(middle, key=_by_call):
        slot = _slot(target, new, used) if target.paginated else None
        if slot is None:
            inserts.append(new)
        else:
            made[new.number] = Translated((slot,), "payload")
    if not inserts:
        return made
    if not target.paginated:
        return made | {
            new.number: Translated((_inserted(target, new, None),), "payload") for new in inserts
        }
    target.moves(target.after_line(target.record(inserts[0].after)))
    edits = _renumbered(target, inserts)
    for i, new in enumerate(inserts):
        made[new.number] = Translated(edits if i == 0 else (), "payload")
    return made


def _slot(target: Target, new: _New, used: set[int]) -> SpanEdit | None:
    """Overwrite a telemetry record that stands where the answer belongs: no byte moves."""
    newest = {record.type: record.n for record in target.records if record.type in _TELEMETRY}
    for record in target.records[new.after + 1 :]:
        if record.type.startswith(("response_item/", "compacted", "session_meta")):
            break
        free = record.type in _TELEMETRY and record.n != newest[record.type]
        if not free or record.n in used or record.ordinal is None or record.recovered:
            continue
        for mark in (new.mark, None):
            text = compose.line(record.time, record.ordinal, new.kind, new.payload, mark)[:-1]
            if len(text) <= record.length:
                used.add(record.n)
                return target.same_length(record.offset, record.length, text.ljust(record.length))
    return None


def _inserted(target: Target, new: _New, ordinal: int | None) -> SpanEdit:
    record = target.record(new.after)
    text = compose.line(compose.later(record.time, 1), ordinal, new.kind, new.payload, new.mark)
    at = target.after_line(record)
    if at == len(target.data) and at and target.data[at - 1] != 0x0A:
        text = b"\n" + text
    return SpanEdit(target.path, at, 0, (text,))


def _renumbered(target: Target, inserts: Sequence[_New]) -> tuple[SpanEdit, ...]:
    """Insert, and let every later ordinal rise by what was inserted before it."""
    edits: list[SpanEdit] = []
    waiting = list(inserts)
    shift = 0
    for record in target.records:
        if shift and record.ordinal is not None:
            at = _ordinal_span(target, record)
            text = str(record.ordinal + shift).encode()
            edits.append(SpanEdit(target.path, at[0], at[1] - at[0], (text,)))
        while waiting and waiting[0].after == record.n:
            shift += 1
            ordinal = None if record.ordinal is None else record.ordinal + shift
            edits.append(_inserted(target, waiting.pop(0), ordinal))
    return tuple(edits)


def _ordinal_span(target: Target, record: Record) -> tuple[int, int]:
    found = span(target.raw(record), ("ordinal",))
    if found is None:
        raise Unsupported(f"the ordinal of record {record.n} cannot be found")
    return record.offset + found[0], record.offset + found[1]


def _in_snapshot(target: Target, operation: Answer | Restore, call: Call) -> Translated:
    """Into the history that a compaction stored, right after the call."""
    record = target.record(call.n)
    found = span(target.raw(record), ("payload", "replacement_history", call.part))
    if found is None:
        raise Unsupported(f"item {call.part} of record {call.n} cannot be found")
    at = record.offset + found[1]
    target.moves(at)
    payload, _ = _payload(target, operation, call)
    edit = SpanEdit(target.path, at, 0, (b"," + compose.dumps(payload),))
    return Translated((edit,), "payload")
