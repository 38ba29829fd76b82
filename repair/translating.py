"""What a store can do of the repairs of one round."""

from collections.abc import Iterator, Sequence

from suture.model.errors import Unsupported
from suture.model.operation import Operation
from suture.repair.drafts import Choice, Draft, Proposal, Translation, Translator
from suture.repair.overlay import Overlay
from suture.repair.taken import Taken

Pair = tuple[Proposal, list[Translation]]


def translated(
    mine: Draft,
    batch: Sequence[Proposal],
    overlay: Overlay,
    translator: Translator,
    choice: Choice,
) -> list[Pair]:
    """What the store can do of a batch; what touches bytes of another waits for the next round."""
    chosen: list[Pair] | None = None
    while batch and chosen is None:  # what was made for nothing is gone before the next is made
        batch, chosen = _tried(mine, batch, overlay, translator, choice)
    return chosen or []


def _tried(
    mine: Draft,
    batch: Sequence[Proposal],
    overlay: Overlay,
    translator: Translator,
    choice: Choice,
) -> tuple[Sequence[Proposal], list[Pair] | None]:
    """What can be done together, or None and what is left to try."""
    pairs = _answered(mine, batch, overlay, translator)
    kept = [(p, made) for p, made in pairs if not _is_doubted(mine, p, made, choice)]
    if len(kept) < len(pairs):
        return [proposal for proposal, _ in kept], None
    chosen = list(_apart(pairs))
    if not any(translation.edits for _, made in chosen for translation in made):
        return [], None
    # the edits of one may count on those of another: none may count on what waits
    return [proposal for proposal, _ in chosen], chosen if len(chosen) == len(pairs) else None


def _answered(
    mine: Draft, batch: Sequence[Proposal], overlay: Overlay, translator: Translator
) -> list[Pair]:
    possible = list(batch)
    try:
        answers = translator.together(mine.unit, overlay, _operations(possible))
    except Unsupported:
        possible = _supported(mine, batch, overlay, translator)
        if not possible:
            return []
        try:
            answers = translator.together(mine.unit, overlay, _operations(possible))
        except Unsupported:  # each alone, not all: two answers, and room for one
            possible = possible[:1]
            answers = translator.together(mine.unit, overlay, _operations(possible))
    made = iter(answers)
    return [(p, [next(made) for _ in p.repair.operations]) for p in possible]


def _supported(
    mine: Draft, batch: Sequence[Proposal], overlay: Overlay, translator: Translator
) -> list[Proposal]:
    groups = [proposal.repair.operations for proposal in batch]
    possible = []
    for proposal, refusal in zip(batch, translator.alone(mine.unit, overlay, groups), strict=True):
        if refusal is None:
            possible.append(proposal)
        else:
            for finding in proposal.findings:
                mine.failed[finding.fingerprint] = refusal
    return possible


def _apart(pairs: Sequence[Pair]) -> Iterator[Pair]:
    """Those whose edits touch none of an earlier one."""
    taken = Taken()
    for proposal, translations in pairs:
        edits = [edit for t in translations for edit in t.edits]
        if not any(map(taken.clashes, edits)):
            for edit in edits:
                taken.add(edit)
            yield proposal, translations


def _is_doubted(
    mine: Draft, proposal: Proposal, translations: Sequence[Translation], choice: Choice
) -> bool:
    doubt = next((t.doubt for t in translations if t.doubt is not None), None)
    if doubt is None:
        return False
    names = {finding.fingerprint for finding in proposal.findings}
    if names <= {*choice.take}:
        return False
    mine.doubted |= dict.fromkeys(names, doubt)
    return True


def _operations(batch: Sequence[Proposal]) -> list[Operation]:
    return [operation for proposal in batch for operation in proposal.repair.operations]
