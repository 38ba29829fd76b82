"""Findings → plan, in rounds: repairs uncover findings, so each round looks again.

The planner knows no rule and no format: it is handed a judge that reads units and finds, and a
translator that turns operations into edits. It writes nothing.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from suture.model.edit import Edit, SpanEdit
from suture.model.errors import Unsupported
from suture.model.files import Files
from suture.model.finding import Finding
from suture.model.operation import Operation, Repair, Safety
from suture.model.plan import Skip, Step
from suture.model.unit import Unit
from suture.repair.overlay import Overlay, edits_of
from suture.repair.patches import clash

ROUNDS = 8


class Judgement(Protocol):
    """What one look at some units found, and what the rules propose."""

    def findings(self, unit: Unit) -> Sequence[Finding]: ...

    def propose(self, finding: Finding) -> Repair | None: ...

    def stage(self, finding: Finding) -> int: ...


class Translation(Protocol):
    @property
    def edits(self) -> tuple[Edit, ...]: ...

    @property
    def cache_class(self) -> str: ...

    @property
    def doubt(self) -> str | None: ...


Judge = Callable[[Sequence[Unit], Files], Judgement]
Consequence = Callable[["Draft"], Repair | None]  # what all the steps together still ask for
Translate = Callable[[Unit, Files, Sequence[Operation]], Sequence[Translation]]


@dataclass(frozen=True, slots=True)
class Choice:
    """What the user allows."""

    safe_only: bool = False
    take: Collection[str] = ()  # fingerprints of manual repairs to make
    skip: Collection[str] = ()  # fingerprints, names and codes of rules to leave alone

    def skips(self, finding: Finding) -> bool:
        return any(name in self.skip for name in (finding.fingerprint, finding.rule, finding.code))


@dataclass(slots=True)
class Draft:
    """The plan of one unit in the making."""

    unit: Unit
    steps: dict[int, Step] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)  # fingerprint → reason
    doubted: dict[str, str] = field(default_factory=dict)  # the same, of what --take still does
    made: Counter[str] = field(default_factory=Counter)
    final: Sequence[Finding] = ()
    skipped: tuple[Skip, ...] = ()


@dataclass(frozen=True, slots=True)
class _Proposal:
    findings: tuple[Finding, ...]
    repair: Repair
    stage: int


def draft(
    units: Sequence[Unit],
    first: Judgement,
    overlay: Overlay,
    judge: Judge,
    translate: Translate,
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
            if number <= ROUNDS and (
                _round(mine, judged, overlay, translate, choice, number)
                or _follow(mine, overlay, translate, choice, number, consequence)
            ):
                changed.append(unit)
            mine.skipped = _skips(mine, judged, choice)  # the round says what a store cannot do
        if not changed:
            break
        active, judged = changed, judge(changed, overlay)
    return list(drafts.values())


def _round(
    mine: Draft,
    judged: Judgement,
    overlay: Overlay,
    translate: Translate,
    choice: Choice,
    number: int,
) -> bool:
    proposals = _allowed(mine, judged, choice)
    while proposals:
        stage = min(p.stage for p in proposals)
        batch = [p for p in proposals if p.stage == stage]
        proposals = [p for p in proposals if p.stage != stage]
        made = _translated(mine, batch, overlay, translate, choice)
        if made:
            _lay(mine, made, overlay, number)
            return True
    return False


def _follow(
    mine: Draft,
    overlay: Overlay,
    translate: Translate,
    choice: Choice,
    number: int,
    consequence: Consequence,
) -> bool:
    """When no finding has a repair left."""
    repair = consequence(mine) if mine.steps else None
    if repair is None or (repair.safety is not Safety.SAFE and choice.safe_only):
        return False
    made = _translated(mine, [_Proposal((), repair, 0)], overlay, translate, choice)
    if made:
        _lay(mine, made, overlay, number)
    return bool(made)


def _allowed(mine: Draft, judged: Judgement, choice: Choice) -> list[_Proposal]:
    present = Counter(f.fingerprint for f in mine.final)
    found: dict[Repair, _Proposal] = {}
    for finding in mine.final:
        key = finding.fingerprint
        if choice.skips(finding) or key in mine.failed or key in mine.doubted:
            continue
        repair = judged.propose(finding)
        if repair is None or not _permits(choice, key, repair):
            continue
        if mine.made[key] and present[key] >= mine.made[key]:
            mine.failed[key] = "its repair did not settle it"
            continue
        earlier = found.get(repair)
        findings = (*earlier.findings, finding) if earlier else (finding,)
        found[repair] = _Proposal(findings, repair, judged.stage(finding))
    return list(found.values())


def _permits(choice: Choice, fingerprint: str, repair: Repair) -> bool:
    if repair.safety is Safety.MANUAL:
        return fingerprint in choice.take
    return repair.safety is Safety.SAFE or not choice.safe_only


def _translated(
    mine: Draft,
    batch: Sequence[_Proposal],
    overlay: Overlay,
    translate: Translate,
    choice: Choice,
) -> list[tuple[_Proposal, list[Translation]]]:
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
    chosen: list[tuple[_Proposal, list[Translation]]] = []
    for proposal in possible:
        translations = [next(answers) for _ in proposal.repair.operations]
        if _is_doubted(mine, proposal, translations, choice):
            rest = [other for other in possible if other is not proposal]
            return _translated(mine, rest, overlay, translate, choice) if rest else []
        edits = [edit for t in translations for edit in t.edits]
        if any(_clashes(edit, other) for edit in edits for other in taken):
            continue
        taken += edits
        chosen.append((proposal, translations))
    if taken and len(chosen) < len(possible):
        # the edits of one may count on those of another: none may count on what waits
        return _translated(mine, [p for p, _ in chosen], overlay, translate, choice)
    return chosen if taken else []


def _is_doubted(
    mine: Draft, proposal: _Proposal, translations: Sequence[Translation], choice: Choice
) -> bool:
    doubt = next((t.doubt for t in translations if t.doubt is not None), None)
    names = {finding.fingerprint for finding in proposal.findings}
    if doubt is None or names <= {*choice.take}:
        return False
    mine.doubted |= dict.fromkeys(names, doubt)
    return True


def _operations(batch: Sequence[_Proposal]) -> list[Operation]:
    return [operation for proposal in batch for operation in proposal.repair.operations]


def _supported(mine: Draft, proposal: _Proposal, overlay: Overlay, translate: Translate) -> bool:
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


def _lay(
    mine: Draft,
    made: Sequence[tuple[_Proposal, list[Translation]]],
    overlay: Overlay,
    number: int,
) -> None:
    laid: list[tuple[Edit, int]] = []
    owner = 0
    for proposal, translations in made:
        edits = [edit for t in translations for edit in t.edits]
        if edits or not owner:
            owner = overlay.new_step()
            mine.steps[owner] = _step(proposal, translations, number)
        else:  # the store grouped it with the step before: one append answers several calls
            mine.steps[owner] = _joined(mine.steps[owner], _step(proposal, translations, number))
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


def _step(proposal: _Proposal, translations: Sequence[Translation], number: int) -> Step:
    classes = [t.cache_class for t in translations]
    return Step(
        number,
        proposal.repair.title,
        tuple(type(op).__name__ for op in proposal.repair.operations),
        proposal.repair.safety,
        max(classes, key=_CLASSES.index),
        proposal.findings,
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


def _skips(mine: Draft, judged: Judgement, choice: Choice) -> tuple[Skip, ...]:
    skips = []
    for finding in mine.final:
        key = finding.fingerprint
        repair = judged.propose(finding)
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
