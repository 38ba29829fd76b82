"""Findings → plan, in rounds: repairs uncover findings, so each round looks again.

The planner knows no rule and no format: it is handed a judge that reads units and finds, and a
translator that turns operations into edits. It writes nothing.
"""

from collections import Counter
from collections.abc import Sequence

from msgspec.structs import replace

from suture.model.finding import Finding
from suture.model.operation import Repair, Safety
from suture.model.plan import Skip
from suture.model.unit import Unit
from suture.repair.drafts import (
    Choice,
    Consequence,
    Draft,
    Judge,
    Judgement,
    Proposal,
    Translator,
)
from suture.repair.origins import Origins, messages
from suture.repair.overlay import Overlay
from suture.repair.steps import lay
from suture.repair.translating import translated

ROUNDS = 8


def draft(
    units: Sequence[Unit],
    first: Judgement,
    overlay: Overlay,
    judge: Judge,
    translator: Translator,
    choice: Choice,
    consequence: Consequence,
) -> list[Draft]:
    """Drafts of all units, edits laid over `overlay`."""
    drafts = {unit.id: Draft(unit) for unit in units}
    active, judged = list(units), first
    for number in range(1, ROUNDS + 2):
        changed = []
        for unit in active:
            mine = drafts[unit.id]
            mine.final = judged.findings(unit)
            if number == 1:
                mine.told = messages(mine.final)
            repairs = [judged.propose(finding) for finding in mine.final]
            if unit is active[-1]:
                judged.forget()
            if number <= ROUNDS and (
                _round(mine, judged, repairs, overlay, translator, choice, number)
                or _follow(mine, overlay, translator, choice, number, consequence)
            ):
                changed.append(unit)
            mine.skipped = _skips(mine, repairs, choice)  # the round says what a store cannot do
            for path in unit.paths:
                overlay.memory.forget(path)
        if not changed:
            break
        active, judged = changed, judge(changed, overlay)
    for mine in drafts.values():
        origins = Origins(overlay, mine.told)
        findings = origins.of(skip.finding for skip in mine.skipped)
        mine.skipped = tuple(
            replace(skip, finding=finding)
            for skip, finding in zip(mine.skipped, findings, strict=True)
        )
    return list(drafts.values())


def _round(
    mine: Draft,
    judged: Judgement,
    repairs: Sequence[Repair | None],
    overlay: Overlay,
    translator: Translator,
    choice: Choice,
    number: int,
) -> bool:
    proposals = _allowed(mine, judged, repairs, choice)
    while proposals:
        stage = min(p.stage for p in proposals)
        batch = [p for p in proposals if p.stage == stage]
        proposals = [p for p in proposals if p.stage != stage]
        if _laid(mine, batch, overlay, translator, choice, number):
            return True
    return False


def _laid(
    mine: Draft,
    batch: Sequence[Proposal],
    overlay: Overlay,
    translator: Translator,
    choice: Choice,
    number: int,
) -> bool:
    """A database may refuse what the store can do: triggers and constraints are the user's own."""
    made = translated(mine, batch, overlay, translator, choice)
    if not made:
        return False
    edits = [edit for _, answers in made for t in answers for edit in t.edits]
    refusal = overlay.refusal(edits)
    if refusal is None:
        lay(mine, made, overlay, number)
        return True
    if len(batch) > 1:  # the first that goes alone: the others find the store changed
        return any(_laid(mine, [one], overlay, translator, choice, number) for one in batch)
    for finding in batch[0].findings:
        mine.failed[finding.fingerprint] = refusal
    return False


def _follow(
    mine: Draft,
    overlay: Overlay,
    translator: Translator,
    choice: Choice,
    number: int,
    consequence: Consequence,
) -> bool:
    """When no finding has a repair left."""
    repair = consequence(mine) if mine.steps else None
    if repair is None or (repair.safety is not Safety.SAFE and choice.safe_only):
        return False
    return _laid(mine, [Proposal((), repair, 0)], overlay, translator, choice, number)


def _allowed(
    mine: Draft, judged: Judgement, repairs: Sequence[Repair | None], choice: Choice
) -> list[Proposal]:
    """One proposal for all findings that the same repair settles."""
    keys = [finding.fingerprint for finding in mine.final]
    present = Counter(keys)
    found: dict[Repair, list[Finding]] = {}
    for finding, key, repair in zip(mine.final, keys, repairs, strict=True):
        if choice.skips(finding) or key in mine.failed or key in mine.doubted:
            continue
        if repair is None or not _permits(choice, key, repair):
            continue
        if mine.made[key] and present[key] >= mine.made[key]:
            mine.failed[key] = "its repair did not settle it"
            continue
        found.setdefault(repair, []).append(finding)
    return [
        Proposal(tuple(findings), repair, judged.stage(findings[-1]))
        for repair, findings in found.items()
    ]


def _permits(choice: Choice, fingerprint: str, repair: Repair) -> bool:
    if repair.safety is Safety.MANUAL:
        return fingerprint in choice.take
    return repair.safety is Safety.SAFE or not choice.safe_only


def _skips(mine: Draft, repairs: Sequence[Repair | None], choice: Choice) -> tuple[Skip, ...]:
    skips = []
    for finding, repair in zip(mine.final, repairs, strict=True):
        key = finding.fingerprint
        if choice.skips(finding):
            skips.append(Skip(finding, "left alone as asked (--skip)"))
        elif key in mine.failed:
            skips.append(Skip(finding, mine.failed[key]))
        elif key in mine.doubted:
            title = None if repair is None else repair.title
            skips.append(Skip(finding, mine.doubted[key], title=title))
        elif repair is None:
            skips.append(Skip(finding, "reported only: no repair is right for every case"))
        elif repair.safety is Safety.MANUAL and key not in choice.take:
            skips.append(Skip(finding, "needs a person's choice", title=repair.title))
        elif repair.safety is Safety.LOSSY and choice.safe_only:
            skips.append(Skip(finding, "its repair is lossy (--safe-only)"))
    return tuple(skips)
