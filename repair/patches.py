"""The edits of one file, kept against its original bytes while rounds go on.

A round sees the file as patched so far and edits that; here its edits are carried back to the
original offsets. An edit that touches an earlier one is merged with it, and so are their steps.
"""

from collections.abc import Iterator, Sequence

from suture.model.edit import Copy, SpanEdit
from suture.model.files import give_back
from suture.repair.layout import Layout, Patch, render, size

_SLICE = 1 << 20


def chunks(original: memoryview, patches: Sequence[Patch]) -> Iterator[bytes | memoryview]:
    """The patched file, and no more of the original at once than is well held in memory."""
    position = 0
    for patch in patches:
        yield from _slices(original, position, patch.offset)
        yield render(patch.after, original)
        position = patch.end
    yield from _slices(original, position, len(original))


def _slices(original: memoryview, start: int, stop: int) -> Iterator[memoryview]:
    for at in range(start, stop, _SLICE):
        yield original[at : min(at + _SLICE, stop)]
        if stop - start > _SLICE:
            give_back(original, start, at)


def patched_size(original: int, patches: Sequence[Patch]) -> int:
    return original + sum(size(patch.after) - patch.length for patch in patches)


def clash(one: SpanEdit, two: SpanEdit) -> bool:
    """Whether two edits of one round touch: their order would matter."""
    if one.path != two.path:
        return False
    if one.length == 0 and two.length == 0:
        return one.offset == two.offset
    return one.offset < two.offset + two.length and two.offset < one.offset + one.length


def merge(
    original: memoryview, patches: Sequence[Patch], edits: Sequence[tuple[SpanEdit, int]]
) -> tuple[tuple[Patch, ...], dict[int, int]]:
    """Add edits, given against the patched file with the number of their step.

    Returns the new patches and which step each swallowed step went into. Edits come from the
    highest offset down: what lies above one is not looked at again, and what lies below has not
    moved.
    """
    before, below = Layout(patches), Layout(patches)
    done: list[Patch] = []
    merged: dict[int, int] = {}
    for edit, step in sorted(edits, key=lambda e: (e[0].offset, e[0].length), reverse=True):
        start, after = edit.offset, edit.after
        if any(isinstance(part, Copy) for part in after):
            after = tuple(before.carried(part, original) for part in after)
        touched = below.touched(start, start + edit.length)
        if not touched:
            at = below.behind(touched.start - 1, start)
            done.append(Patch(at, edit.length, after, step))
            continue
        patch = _swallow(original, below, touched, edit, after, step)
        start = min(start, below.starts[touched.start])
        done += below.cut(touched.stop)
        steps = {swallowed.step for swallowed in below.cut(touched.start)} | {step}
        below.push(patch, start)
        merged |= {old: patch.step for old in steps if old != patch.step}
    return tuple(sorted([*below.patches, *done], key=lambda p: (p.offset, p.length))), merged


def _swallow(
    original: memoryview,
    layout: Layout,
    touched: range,
    edit: SpanEdit,
    after: tuple[bytes | Copy, ...],
    step: int,
) -> Patch:
    first, last = touched[0], touched[-1]
    start, end = edit.offset, edit.offset + edit.length
    low, high = layout.patches[first].offset, layout.patches[last].end
    if start < layout.starts[first]:
        low = layout.behind(first - 1, start)
    if end > layout.ends[last]:
        high = layout.behind(last, end)
    head = layout.text(first, layout.starts[first], start, original)
    tail = layout.text(last, end, layout.ends[last], original)
    parts = tuple(part for part in (head, *after, tail) if part != b"")
    steps = (layout.patches[number].step for number in touched)
    return Patch(low, high - low, parts, min(step, *steps))
