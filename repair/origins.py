"""Where the finding of a later round stands in the store as it is: a plan is read beside that."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from suture.model.finding import Finding
from suture.model.place import Span
from suture.repair.overlay import Overlay
from suture.repair.patches import Piece, laid_out, render


class _Stretch(Struct, frozen=True):
    piece: Piece
    text: bytes | None  # what the patch put there
    lines: int  # that the original has more, before it


class Origins:
    """Of findings that were made of the store as the overlay shows it: good until edits are added.

    The stretches of a file are laid out once for all of its findings.
    """

    def __init__(self, overlay: Overlay) -> None:
        self._overlay = overlay
        self._known: dict[str, list[_Stretch]] = {}

    def of(self, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        return tuple(map(self._one, findings))

    def _one(self, finding: Finding) -> Finding:
        place = finding.place
        if not isinstance(place, Span) or place.path not in self._overlay.patches:
            return finding
        if place.path not in self._known:
            self._known[place.path] = list(_stretches(place.path, self._overlay))
        return replace(finding, place=_back(place, self._known[place.path]))


def _stretches(path: str, overlay: Overlay) -> Iterable[_Stretch]:
    original = overlay.original(path)
    lines = 0
    for piece in laid_out(len(original), overlay.patches[path]):
        if piece.patch is None:
            yield _Stretch(piece, None, lines)
            continue
        text = render(piece.patch.after, original)
        yield _Stretch(piece, text, lines)
        gone = bytes(original[piece.patch.offset : piece.patch.end])
        lines += gone.count(b"\n") - text.count(b"\n")


def _back(place: Span, stretches: Sequence[_Stretch]) -> Span:
    first = _at(place.offset, stretches)
    last = _at(max(place.offset, place.offset + place.length - 1), stretches)
    offset = _origin(place.offset, first)
    end = place.offset + place.length
    end = last.piece.patch.end if last.piece.patch else end - last.piece.start + last.piece.origin
    inside = (
        0 if first.text is None else first.text[: place.offset - first.piece.start].count(b"\n")
    )
    return replace(
        place, line=place.line + first.lines - inside, offset=offset, length=max(0, end - offset)
    )


def _origin(offset: int, stretch: _Stretch) -> int:
    piece = stretch.piece
    return piece.origin if stretch.text is not None else piece.origin + offset - piece.start


def _at(offset: int, stretches: Sequence[_Stretch]) -> _Stretch:
    """A patch that only takes bytes out holds none of them: the next stretch does."""
    return stretches[bisect_right(stretches, offset, key=lambda s: s.piece.start) - 1]
