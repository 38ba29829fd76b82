"""The steps of a plan: edits laid over the store, one by one, and joined where they meet."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from suture.model.edit import Edit
from suture.model.finding import Finding
from suture.model.plan import Step
from suture.repair.drafts import Draft, Proposal, Translation
from suture.repair.origins import in_original
from suture.repair.overlay import Overlay, edits_of


def lay(
    mine: Draft,
    made: Sequence[tuple[Proposal, list[Translation]]],
    overlay: Overlay,
    number: int,
) -> None:
    laid: list[tuple[Edit, int]] = []
    owner = 0
    for proposal, translations in made:
        edits = [edit for t in translations for edit in t.edits]
        step = _step(proposal, translations, in_original(proposal.findings, overlay), number)
        if edits or not owner:
            owner = overlay.new_step()
            mine.steps[owner] = step
        else:  # the store grouped it with the step before: one append answers several calls
            mine.steps[owner] = _joined(mine.steps[owner], step)
        laid += [(edit, owner) for edit in edits]
        for finding in proposal.findings:
            mine.made[finding.fingerprint] += 1
    merged = overlay.add(laid)
    for swallowed in merged:
        into = swallowed
        while into in merged and merged[into] != into:
            into = merged[into]
        if swallowed in mine.steps and into in mine.steps and swallowed != into:
            overlay.give(swallowed, into)
            mine.steps[into] = _joined(mine.steps[into], mine.steps.pop(swallowed))


_CLASSES = ("append", "envelope", "cut", "payload")  # what each costs, cheapest first


def _step(
    proposal: Proposal,
    translations: Sequence[Translation],
    findings: tuple[Finding, ...],
    number: int,
) -> Step:
    classes = [t.cache_class for t in translations]
    return Step(
        number,
        proposal.repair.title,
        tuple(type(op).__name__ for op in proposal.repair.operations),
        proposal.repair.safety,
        max(classes, key=_CLASSES.index),
        findings,
        (),
    )


def _joined(one: Step, two: Step) -> Step:
    title = one.title if two.title in one.title else f"{one.title}; {two.title}"
    return Step(
        one.round,
        title,
        one.operations + two.operations,
        max(one.safety, two.safety),
        max(one.cache_class, two.cache_class, key=_CLASSES.index),
        one.findings + two.findings,
        (),
    )


def finished(mine: Draft, overlay: Overlay, paths: Mapping[str, str]) -> tuple[Step, ...]:
    """The steps with their edits against the original. `paths`: as read → as the plan says."""
    return tuple(
        replace(
            step,
            edits=tuple(
                replace(edit, path=paths[path])
                for path, group in edits_of(overlay, number).items()
                for edit in group
            ),
        )
        for number, step in sorted(mine.steps.items())
    )
