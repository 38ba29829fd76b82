"""Findings → plan: introduces rules, stores and the planner to each other."""

import re
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress

from msgspec.structs import replace

from suture import __version__, forking, outlook, signed
from suture.model.edit import BytesEdit
from suture.model.errors import BadSetting, Unsupported
from suture.model.files import Files, Memory
from suture.model.finding import Finding
from suture.model.operation import Answer, Operation, Repair
from suture.model.plan import Plan, Skip, UnitPlan
from suture.model.scope import Scope, Wanted
from suture.model.unit import Unit
from suture.narrowing import all_there, names
from suture.repair.assemble import unit_plan
from suture.repair.drafts import Choice, Draft, Translator
from suture.repair.overlay import Overlay, edits_by_step
from suture.repair.plan_json import dump
from suture.repair.planner import draft
from suture.run import Judged, as_known, chosen_by_text, judge, looking, refusals, translate
from suture.signed import Signed
from suture.stores import DiskFiles
from suture.validators import all_rules

_FINGERPRINT = re.compile("[0-9a-f]{20}")  # of a finding that is no more, it may be

TokensAfter = Callable[[Draft, str, int | None], tuple[str | None, int | None]]


def make_plan(scope: Scope, wanted: Wanted) -> Plan:
    """The repair of everything below the scope's paths. Writes nothing."""
    with looking(scope) as (found, files):
        units = chosen_by_text(found.units, scope)
        if len(units) == 1:  # of many most are in order: keeping them would take room for nothing
            files.memory = Memory()
        first = judge(units, files, scope, wanted.policy)
        all_there(scope, names(first.db), first.all)
        _check_skipped(wanted.skip, first.all)
        live = {unit.id: evidence for unit in units if (evidence := _live(first, unit))}
        idle = [unit for unit in units if unit.id not in live]
        if wanted.take:
            numbered = _numbered(_unit_plans(first, idle, files, wanted, ())[0])
            _check_taken(wanted.take, numbered)
            take = _named(numbered, wanted.take)
            made, unable = _unit_plans(first, idle, files, wanted, take)
            made = _numbered_as(made, numbered)
        else:
            made, unable = _unit_plans(first, idle, files, wanted, ())
            made = _numbered(made)
        lost = () if scope.sessions else found.unreadable
        unread = ((one.path, f"cannot be read: {one.reason}") for one in lost)
    refused = (*live.items(), *unable, *unread)
    return Plan(__version__, wanted.policy, scope.assume, made, refused, wanted.answer_text)


def _check_skipped(skip: Collection[str], found: Sequence[Finding]) -> None:
    """Raises BadSetting: a repair that somebody wanted left out must not slip in by a typo."""
    rules = {name for rule in all_rules() for name in (rule.code, rule.name)}
    fingerprints = {finding.fingerprint for finding in found}
    for name in skip:
        if name not in rules and name not in fingerprints and not _FINGERPRINT.fullmatch(name):
            raise BadSetting(f"--skip: no rule or finding {name!r}; `suture rules` lists the rules")


def _check_taken(take: Collection[int], units: Sequence[UnitPlan]) -> None:
    """Raises BadSetting."""
    offered = [skip.number for unit in units for skip in unit.skipped if skip.number is not None]
    for number in take:
        if number not in offered:
            there = f"they are 1 to {max(offered)}" if offered else "there is none"
            raise BadSetting(f"--take: no repair {number} for a person to choose; {there}")


def plan_bytes(plan: Plan, no_content: bool) -> bytes:
    """The plan file, with the removed bytes quoted from the store unless `no_content`."""
    files = DiskFiles()

    def before(edit: BytesEdit) -> memoryview:
        return files.data(edit.path)[edit.offset : edit.offset + edit.length]

    try:
        return dump(plan, before, no_content=no_content)
    finally:
        files.close()


def _live(judged: Judged, unit: Unit) -> str | None:
    rows = judged.db.rows(
        "select live from session where unit = ? and live is not null limit 1", unit.index
    )
    return rows[0].live if rows else None


def _unit_plans(
    first: Judged, units: Sequence[Unit], files: DiskFiles, wanted: Wanted, take: Collection[str]
) -> tuple[tuple[UnitPlan, ...], tuple[tuple[str, str], ...]]:
    """The plans, and the units that cannot be repaired as the user wants it."""
    overlay = Overlay(files)
    before = outlook.sessions(first, units)
    asked = outlook.open_ids(before)
    after: dict[int, outlook.Sessions] = {}
    stale: dict[int, Sequence[Signed]] = {}
    newest = first

    def again(some: Sequence[Unit], patched: Files) -> Judged:
        nonlocal newest
        if newest is not first:  # that says in the end what was there before
            newest.db.close()
        known = [as_known(unit, patched) for unit in some]
        newest = judge(known, patched, first.scope, wanted.policy)
        after.update(outlook.sessions(newest, some, asked))
        return newest

    def consequence(mine: Draft) -> Repair | None:
        stale[mine.unit.index] = found = signed.stale(mine, newest, overlay)
        return signed.repair(found)

    try:
        drafts = draft(
            units,
            first,
            overlay,
            again,
            Translator(
                lambda unit, patched, asked: translate(unit, patched, _worded(asked, wanted)),
                lambda unit, patched, groups: refusals(
                    unit, patched, [_worded(group, wanted) for group in groups]
                ),
            ),
            Choice(wanted.safe_only, take, wanted.skip),
            consequence,
        )
        laid, tokens = edits_by_step(overlay), _tokens_after(first)
        made, refused = [], []
        for mine in (one for one in drafts if one.steps or one.skipped):
            i, plan = mine.unit.index, unit_plan(mine, overlay, laid, tokens)
            bound = stale.get(i, ())
            then = outlook.refused(after.get(i, before[i]), {one.session for one in bound})
            told = outlook.plans(before[i], then, plan.steps)
            plan = replace(plan, sessions=told, refused=signed.why(bound))
            try:
                made.append(_placed(plan, mine, overlay, first, wanted))
            except Unsupported as reason:
                refused.append((plan.unit, f"no new session: {reason}"))
        return tuple(made), tuple(refused)
    finally:
        overlay.close()


def _placed(
    plan: UnitPlan, mine: Draft, overlay: Overlay, first: Judged, wanted: Wanted
) -> UnitPlan:
    """In place, or as a new session: asked for, or because signed reasoning would be refused."""
    if wanted.fork is False or not plan.steps:
        return plan
    if wanted.fork:
        return forking.forked(plan, mine, overlay, first, "asked for")
    if plan.refused is not None:
        with suppress(Unsupported):
            return forking.forked(plan, mine, overlay, first, plan.refused)
    return plan


def _worded(operations: Sequence[Operation], wanted: Wanted) -> Sequence[Operation]:
    """The user's words reach every store in the operation that they are for."""
    return [
        replace(asked, words=wanted.answer_text) if isinstance(asked, Answer) else asked
        for asked in operations
    ]


def _numbered(units: Sequence[UnitPlan]) -> tuple[UnitPlan, ...]:
    """Manual repairs get numbers over the whole plan, in its order."""
    number = 0
    numbered = []
    for unit in units:
        skipped: list[Skip] = []
        for skip in unit.skipped:
            number += skip.title is not None
            skipped.append(replace(skip, number=number) if skip.title is not None else skip)
        numbered.append(replace(unit, skipped=tuple(skipped)))
    return tuple(numbered)


def _numbered_as(units: Sequence[UnitPlan], earlier: Sequence[UnitPlan]) -> tuple[UnitPlan, ...]:
    """Numbers mean the plan without any that is taken: what that did not offer gets none."""
    numbers: dict[str, list[int]] = {}
    for skip in (skip for unit in earlier for skip in unit.skipped):
        if skip.number is not None:
            numbers.setdefault(skip.finding.fingerprint, []).append(skip.number)

    def as_then(skip: Skip) -> Skip:
        left = numbers.get(skip.finding.fingerprint) if skip.title is not None else None
        return replace(skip, number=left.pop(0)) if left else skip

    return tuple(replace(unit, skipped=tuple(map(as_then, unit.skipped))) for unit in units)


def _named(units: Sequence[UnitPlan], numbers: Collection[int]) -> frozenset[str]:
    return frozenset(
        skip.finding.fingerprint
        for unit in units
        for skip in unit.skipped
        if skip.number is not None and skip.number in numbers
    )


def _tokens_after(judged: Judged) -> TokensAfter:
    def find(mine: Draft, path: str, offset: int | None) -> tuple[str | None, int | None]:
        rows = judged.db.rows(
            "select session, n, coalesce(id, ordinal::varchar) as name from located "
            'where unit = ? and path = ? and "offset" + length > ? order by n limit 1',
            mine.unit.index,
            path,
            offset,
        )
        if not rows:
            return None, None
        steps = judged.db.rows(
            "select last_n, coalesce(input_tokens, 0) + coalesce(cache_read_tokens, 0) "
            "+ coalesce(cache_write_tokens, 0) as total from step "
            "where session = ? and input_tokens is not null order by last_n",
            rows[0].session,
        )
        later = [step.total for step in steps if step.last_n >= rows[0].n]
        earlier = [step.total for step in steps if step.last_n < rows[0].n]
        if not later:
            return rows[0].name, None
        return rows[0].name, max(0, later[-1] - (earlier[-1] if earlier else 0))

    return find
