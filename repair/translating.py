"""What a store can do of the repairs of one round."""

from collections.abc import Sequence

from suture.model.edit import Edit, SpanEdit
from suture.model.errors import Unsupported
from suture.model.operation import Operation
from suture.repair.drafts import Choice, Draft, Proposal, Translate, Translation
from suture.repair.overlay import Overlay
from suture.repair.patches import clash


def translated(
    mine: Draft,
    batch: Sequence[Proposal],
    overlay: Overlay,
    translate: Translate,
    choice: Choice,
) -> list[tuple[Proposal, list[Translation]]]:
    """What the store can do of a batch; what touches bytes of another waits for the next round."""
    possible = list(batch)
    try:
        answers = iter(translate(mine.unit, overlay, _operations(possible)))
    except Unsupported:
        possible = [p for p in batch if _supported(mine, p, overlay, translate)]
        if not possible:
            return []
        try:
            answers = iter(translate(mine.unit, overlay, _operations(possible)))
        except Unsupported:  # each alone, not all: two answers, and room for one
            possible = possible[:1]
            answers = iter(translate(mine.unit, overlay, _operations(possible)))
    taken: list[Edit] = []
    chosen: list[tuple[Proposal, list[Translation]]] = []
    for proposal in possible:
        translations = [next(answers) for _ in proposal.repair.operations]
        if _is_doubted(mine, proposal, translations, choice):
            rest = [other for other in possible if other is not proposal]
            return translated(mine, rest, overlay, translate, choice) if rest else []
        edits = [edit for t in translations for edit in t.edits]
        if any(_clashes(edit, other) for edit in edits for other in taken):
            continue
        taken += edits
        chosen.append((proposal, translations))
    if taken and len(chosen) < len(possible):
        # the edits of one may count on those of another: none may count on what waits
        return translated(mine, [p for p, _ in chosen], overlay, translate, choice)
    return chosen if taken else []


def _is_doubted(
    mine: Draft, proposal: Proposal, translations: Sequence[Translation], choice: Choice
) -> bool:
    doubt = next((t.doubt for t in translations if t.doubt is not None), None)
    names = {finding.fingerprint for finding in proposal.findings}
    if doubt is None or names <= {*choice.take}:
        return False
    mine.doubted |= dict.fromkeys(names, doubt)
    return True


def _operations(batch: Sequence[Proposal]) -> list[Operation]:
    return [operation for proposal in batch for operation in proposal.repair.operations]


def _supported(mine: Draft, proposal: Proposal, overlay: Overlay, translate: Translate) -> bool:
    try:
        translate(mine.unit, overlay, proposal.repair.operations)
    except Unsupported as reason:
        for finding in proposal.findings:
            mine.failed[finding.fingerprint] = str(reason)
        return False
    return True


def _clashes(one: Edit, two: Edit) -> bool:
    if isinstance(one, SpanEdit) and isinstance(two, SpanEdit):
        return clash(one, two)
    return type(one) is type(two) and not isinstance(one, SpanEdit) and one == two
