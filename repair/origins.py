"""Where the finding of a later round stands in the store as it is: a plan is read beside that."""

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from suture.model.finding import Finding
from suture.model.place import Span
from suture.repair.layout import Layout, Patch, render
from suture.repair.overlay import Overlay


class Origins:
    """Of findings that were made of the store as the overlay shows it: good until edits are added.

    The stretches of a file are laid out once for all of its findings. `told`: what the first look
    said, by fingerprint; messages name lines, too.
    """

    def __init__(self, overlay: Overlay, told: Mapping[str, str]) -> None:
        self._overlay, self._told = overlay, told
        self._known: dict[str, _Back] = {}

    def of(self, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        return tuple(map(self._one, findings))

    def _one(self, finding: Finding) -> Finding:
        place = finding.place
        if not isinstance(place, Span) or place.path not in self._overlay.patches:
            return finding
        if place.path not in self._known:
            original = self._overlay.original(place.path)
            self._known[place.path] = _Back(original, self._overlay.patches[place.path])
        message = self._told.get(finding.fingerprint, finding.message)
        return replace(finding, place=self._known[place.path].place(place), message=message)


def messages(findings: Sequence[Finding]) -> dict[str, str]:
    """By fingerprint, of those that have one of their own."""
    keys = [finding.fingerprint for finding in findings]
    counts = Counter(keys)
    return {
        key: finding.message
        for key, finding in zip(keys, findings, strict=True)
        if counts[key] == 1
    }


class _Back:
    """From a patched file to the original."""

    def __init__(self, original: memoryview, patches: Sequence[Patch]) -> None:
        self._original, self._layout = original, Layout(patches)
        self._lines = array("q", [0])  # that the original has more, before each patch
        for patch in patches:
            gone = bytes(original[patch.offset : patch.end]).count(b"\n")
            here = render(patch.after, original).count(b"\n")
            self._lines.append(self._lines[-1] + gone - here)

    def place(self, place: Span) -> Span:
        layout, start, end = self._layout, place.offset, place.offset + place.length
        number, inside = layout.at(start)
        if inside:
            above = layout.text(number, layout.starts[number], start, self._original)
            line = place.line + self._lines[number] - above.count(b"\n")
            offset = layout.patches[number].offset
        else:
            line = place.line + self._lines[number + 1]
            offset = layout.behind(number, start)
        number, inside = layout.at(max(start, end - 1))
        end = layout.patches[number].end if inside else layout.behind(number, end)
        return replace(place, line=line, offset=offset, length=max(0, end - offset))
