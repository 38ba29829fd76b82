"""What a draft asks for, as edits of the transcript's bytes; untouched bytes stay as they are."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from suture.model.edit import Copy, SpanEdit
from suture.stores._json_span import span
from suture.stores.claude_code.draft import Draft, Owned, json_value
from suture.stores.claude_code.view import Entry


def written(draft: Draft) -> list[Owned]:
    draft.settle()
    return [*draft.spans, *_line_edits(draft), *_insertions(draft)]


def _line_edits(draft: Draft) -> Iterator[Owned]:
    for n, parent in draft.parents.items():
        if n not in draft.removed and draft.at(n).length:
            _set_parent(draft, draft.owners[n], draft.at(n), parent)
    for n, owner in draft.removed.items():
        entry = draft.at(n)
        yield owner, SpanEdit(draft.found.path, entry.offset, draft.extent(entry), ())
    for n, values in draft.values.items():
        entry = draft.at(n)
        if n in draft.removed or n in draft.moved:
            continue
        for owner, start, end, after in values:
            offset = entry.offset + start
            yield owner, SpanEdit(draft.found.path, offset, end - start, after)
    for n, after_n in draft.moved.items():
        yield from _move(draft, draft.at(n), draft.at(after_n))


def _set_parent(draft: Draft, owner: int, entry: Entry, parent: str | None) -> None:
    raw = draft.bytes_of(entry)
    place = span(raw, ("parentUuid",))
    if place is not None:
        if raw[slice(*place)] != json_value(parent):
            draft.replace(owner, entry, *place, (json_value(parent),))
        return
    start = raw.index(b"{") + 1
    comma = b"" if raw[start:].lstrip().startswith(b"}") else b","
    draft.replace(owner, entry, start, start, (b'"parentUuid":' + json_value(parent) + comma,))


def _move(draft: Draft, entry: Entry, after: Entry) -> Iterator[Owned]:
    """The line's bytes behind another line, with what changes in them."""
    owner, path = draft.owners[entry.n], draft.found.path
    parts: list[bytes | Copy] = []
    values = sorted(draft.values.get(entry.n, ()), key=lambda v: v[1])
    at = 0
    for _, start, end, value in values:
        parts += [Copy(entry.offset + at, start - at), *value]
        at = end
    parts.append(Copy(entry.offset + at, entry.length - at))
    offset = draft.behind(after)
    if bytes(draft.found.data[offset - 1 : offset]) != b"\n":
        parts.insert(0, b"\n")
    parts.append(b"\n")
    yield owner, SpanEdit(path, offset, 0, tuple(parts))
    yield owner, SpanEdit(path, entry.offset, draft.extent(entry), ())


def _insertions(draft: Draft) -> Iterator[Owned]:
    if draft.pointer is not None:
        draft.inserts[len(draft.found.data)].append(draft.pointer)
    gone = sorted((draft.at(n).offset, draft.at(n).length) for n in draft.removed)
    for offset, lines in sorted(draft.inserts.items()):
        text = b"".join(line + b"\n" for _, line in lines)
        if _wants_line_end(draft, offset, gone):
            text = b"\n" + text
        yield lines[0][0], SpanEdit(draft.found.path, offset, 0, (text,))


def _wants_line_end(draft: Draft, offset: int, gone: Sequence[tuple[int, int]]) -> bool:
    if offset == 0 or bytes(draft.found.data[offset - 1 : offset]) == b"\n":
        return False
    before = bisect_left(gone, (offset, 0)) - 1  # of the records that go, by offset
    return before < 0 or sum(gone[before]) < offset
