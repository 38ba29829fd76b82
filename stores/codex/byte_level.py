"""Edits of damaged bytes. In a paginated file they keep the length wherever they can."""

from msgspec.structs import replace

from suture.model.edit import SpanEdit
from suture.model.errors import Unsupported
from suture.model.operation import Cut, Quarantine, Replace, Split
from suture.model.place import Span
from suture.stores._byte_edits import byte_edits
from suture.stores._store import Translated
from suture.stores.codex import compose
from suture.stores.codex.target import BOM, Target

ByteOperation = Cut | Quarantine | Replace | Split
_UNKNOWN = "\ufffd".encode()


def edit_bytes(target: Target, operation: ByteOperation) -> Translated:
    place = operation.place
    assert isinstance(place, Span)
    if target.paginated:
        kept = _same_length(target, operation, place)
        if kept is not None:
            return Translated((kept,), "envelope")
    made = byte_edits(target.path, target.data, operation)
    if made is None:
        raise Unsupported(f"line {place.line} cannot be mended by bytes alone")
    spans = [edit for edit in made.edits if isinstance(edit, SpanEdit)]
    if any(_resizes(edit) and not target.is_bom(edit) for edit in spans):
        target.moves(place.offset)
    if isinstance(operation, Replace) and operation.after.endswith(b"\n"):
        return replace(made, cache_class="envelope")  # the end of a turn, which is not sent
    return made


def _same_length(target: Target, operation: ByteOperation, place: Span) -> SpanEdit | None:
    """None where the bytes have to move, or may: nothing points behind the end of the file."""
    offset, length = place.offset, place.length
    end = offset + length
    ends_file = len(target.data) - end <= 2 and not bytes(target.data[end:]).strip(b"\r\n")
    after: bytes | None = None
    match operation:
        case Cut() if not ends_file and (offset or bytes(target.data[:length]) != BOM):
            after = b" " * length
        case Quarantine() if not ends_file:
            after = _placeholder(target, offset, length)
        case Replace() if len(operation.after) > length and not operation.after.strip(_UNKNOWN):
            after = b"?" * length
    return None if after is None else target.same_length(offset, length, after)


def _placeholder(target: Target, offset: int, length: int) -> bytes:
    """An unknown record keeps the ordinal of a lost one; shared or unreadable, spaces do."""
    ordinal = target.line_ordinal(offset, length)
    if ordinal is not None and target.ordinals[ordinal]:
        ordinal = None
    last_time = next((r.time for r in target.before(offset) if r.time is not None), None)
    # A whole record beside it is read only from a line of its own.
    head = b"" if not offset or target.data[offset - 1] == 0x0A else b"\n"
    rest = bytes(target.data[offset + length : offset + length + 2])
    tail = b"" if rest in (b"", b"\r\n") or rest[:1] == b"\n" else b"\n"
    inner = max(0, length - len(head) - len(tail))
    text = compose.removed(last_time, ordinal, inner)
    return head + text + tail if text.strip() else b" " * length


def _resizes(edit: SpanEdit) -> bool:
    size = sum(len(part) if isinstance(part, bytes) else part.length for part in edit.after)
    return size != edit.length
