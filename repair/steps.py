"""The steps of a plan: edits laid over the store, one by one, and joined where they meet."""

from collections.abc import Mapping, Sequence
from itertools import chain

from msgspec.structs import replace

from suture.model.edit import Edit
from suture.model.finding import Finding
from suture.model.plan import Step
from suture.repair.drafts import Draft, Proposal, Translation
from suture.repair.origins import Origins
from suture.repair.overlay import Overlay


def lay(
    mine: Draft,
    made: Sequence[tuple[Proposal, list[Translation]]],
    overlay: Overlay,
    number: int,
) -> None:
    laid: list[tuple[Edit, int]] = []
    groups: dict[int, list[Step]] = {}
    origins = Origins(overlay, mine.told)
    owner = 0
    for proposal, translations in made:
        edits = [edit for t in translations for edit in t.edits]
        step = _step(proposal, translations, origins.of(proposal.findings), number)
        if edits or not owner:
            owner = overlay.new_step()
            groups[owner] = [step]
        else:  # the store grouped it with the step before: one append answers several calls
            groups[owner].append(step)
        laid += [(edit, owner) for edit in edits]
        for finding in proposal.findings:
            mine.made[finding.fingerprint] += 1
    mine.steps |= {owner: _joined(steps) for owner, steps in groups.items()}
    _join(mine, overlay, overlay.add(laid))


def _join(mine: Draft, overlay: Overlay, merged: Mapping[int, int]) -> None:
    """Steps whose edits went into those of another become part of it."""
    given: dict[int, int] = {}
    for swallowed in merged:
        into = swallowed
        while into in merged and merged[into] != into:
            into = merged[into]
        if swallowed in mine.steps and into in mine.steps and swallowed != into:
            given[swallowed] = into
    overlay.give(given)
    groups: dict[int, list[Step]] = {}
    for swallowed, into in given.items():
        groups.setdefault(into, []).append(mine.steps.pop(swallowed))
    for into, steps in groups.items():
        mine.steps[into] = _joined([mine.steps[into], *steps])


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


def _joined(steps: Sequence[Step]) -> Step:
    first, *others = steps
    title = first.title
    for other in others:
        title = title if other.title in title else f"{title}; {other.title}"
    return Step(
        first.round,
        title,
        tuple(chain.from_iterable(step.operations for step in steps)),
        max(step.safety for step in steps),
        max((step.cache_class for step in steps), key=_CLASSES.index),
        tuple(chain.from_iterable(step.findings for step in steps)),
        (),
    )


def finished(
    mine: Draft, laid: Mapping[int, Sequence[Edit]], paths: Mapping[str, str]
) -> tuple[Step, ...]:
    """The steps with their edits against the original. `laid`: those of each step; `paths`: as
    read → as the plan says."""
    return tuple(
        replace(
            step,
            edits=tuple(replace(edit, path=paths[edit.path]) for edit in laid.get(number, ())),
        )
        for number, step in sorted(mine.steps.items())
    )
