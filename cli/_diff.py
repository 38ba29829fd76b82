"""A plan as a person reads it: what goes, what comes, at which byte."""

from suture.cli._text import clean, plural, say
from suture.model.condition import TableLoss
from suture.model.edit import (
    BytesEdit,
    Copy,
    DatabaseEdit,
    FileEdit,
    Part,
    RangeEdit,
    RowEdit,
    Shift,
    SpanEdit,
    Swap,
    TwinEdit,
)
from suture.model.plan import Plan, Step

_SHOWN = 240  # characters of one side


def show_diff(plan: Plan) -> None:
    for unit in plan.units:
        for step in unit.steps:
            _show_step(step)


def _show_step(step: Step) -> None:
    say(f"\n{step.title} ({step.safety.label}, {step.cache_class})")
    for edit in step.edits:
        match edit:
            case SpanEdit() | RangeEdit():
                say(f"  {clean(edit.path)} at byte {edit.offset:,}")
                if edit.length:
                    say(f"  - {_removed(edit)}", "red")
                for line in (line for part in edit.after for line in _added(part)):
                    say(f"  + {line}", "green")
            case RowEdit():
                say(f"  {clean(edit.path)} {edit.table} {clean(str(dict(edit.key)))}")
                _show_row(edit)
            case TwinEdit():
                say(f"  write {clean(edit.path)}, made from {clean(edit.origin)}")
                for line in (line for part in edit.after for line in _added(part)):
                    say(f"  + {line}", "green")
            case DatabaseEdit():
                say(f"  write {clean(edit.path)} anew")
                for loss in edit.losses:
                    _show_loss(loss)
            case FileEdit():
                verb = "remove" if edit.after is None else "write"
                say(f"  {verb} {clean(edit.path)}")


def _show_loss(loss: TableLoss) -> None:
    rows = f"  {clean(loss.table)}: {plural(loss.kept, 'row')} kept"
    if loss.lost == 0:
        say(rows, "green")
    else:
        say(f"{rows}, {'an unknown number' if loss.lost is None else f'{loss.lost:,}'} lost", "red")
    for one in loss.sessions:
        say(f"    session {clean(one.session)}: {one.kept:,} kept, {one.lost:,} lost", "red")


def _removed(edit: BytesEdit) -> str:
    try:
        with open(edit.path, "rb") as file:  # noqa: PTH123 (a `.zst` is not shown)
            file.seek(edit.offset)
            data = file.read(min(edit.length, _SHOWN))
    except OSError:
        return plural(edit.length, "byte")
    if edit.path.endswith(".zst"):
        return f"{plural(edit.length, 'byte')} of the decoded file"
    return _short(data, edit.length)


def _added(part: Part) -> list[str]:
    """One text a line that is added."""
    if isinstance(part, Shift):
        verb = "higher" if part.by > 0 else "lower"
        moved = f"{plural(part.length, 'byte')} from byte {part.offset:,}"
        key = _short(part.key, len(part.key))
        return [f"{moved}, {plural(part.count, 'number')} behind {key} {verb} by {abs(part.by):,}"]
    if isinstance(part, Swap):
        old, new = _short(part.old, len(part.old)), _short(part.new, len(part.new))
        times = plural(part.count, "time")
        moved = f"{plural(part.length, 'byte')} from byte {part.offset:,}"
        return [f"{moved}, {times} {new} for {old}"]
    if isinstance(part, Copy):
        return [f"{plural(part.length, 'byte')} moved from byte {part.offset:,}"]
    lines = part.removesuffix(b"\n").split(b"\n") if len(part) > 1 else [part]
    return [_short(line[:_SHOWN], len(line)) for line in lines]


def _short(data: bytes, length: int) -> str:
    text = clean(data.decode("utf-8", "replace"))
    return text if length <= _SHOWN else f"{text}… ({plural(length, 'byte')})"


def _show_row(edit: RowEdit) -> None:
    before, after = edit.before or {}, edit.after or {}
    for name in {**before, **after}:
        if before.get(name) != after.get(name) or edit.before is None or edit.after is None:
            if edit.before is not None:
                say(f"  - {name} = {clean(repr(before.get(name)))[:_SHOWN]}", "red")
            if edit.after is not None:
                say(f"  + {name} = {clean(repr(after.get(name)))[:_SHOWN]}", "green")
