"""A plan as a person reads it at night: what is lost today, what the repair brings, the steps."""

from collections.abc import Sequence

from suture.cli._text import clean, plural, say, told_of, where
from suture.model.finding import Severity
from suture.model.plan import Outlook, Plan, SessionPlan, Skip, UnitPlan
from suture.model.unit import UNKNOWN

_SESSIONS = 4  # of one unit that are shown
_LINES = 6  # of what one session loses or gets
_VERBS = {
    "yes": "resumes",
    "no": "does not resume",
    "unknown": "may not resume (not measured)",
}


def show_plan(plan: Plan) -> None:
    steps = sum(len(unit.steps) for unit in plan.units)
    shown = [unit for unit in plan.units if unit.steps or any(map(_speaks, unit.skipped))]
    say(f"{plural(steps, 'step')} in {plural(len(shown), 'unit')}, policy {plan.policy}")
    for unit in shown:
        _show_unit(unit)
    for unit_id, reason in plan.refused:
        say(f"\nleft alone: {told_of(unit_id, reason)}", "yellow")


def _speaks(skip: Skip) -> bool:
    """A note that nothing is done about is not told: most sessions of a home have some."""
    return skip.finding.severity > Severity.INFO or skip.number is not None


def _show_unit(unit: UnitPlan) -> None:
    say(f"\n{clean(unit.unit)}")
    if unit.steps:
        for session in unit.sessions[:_SESSIONS]:
            _show_session(session)
        if len(unit.sessions) > _SESSIONS:
            say(f"  and {plural(len(unit.sessions) - _SESSIONS, 'session')} more")
    _show_place(unit)
    for number, step in enumerate(unit.steps, 1):
        say(f"  {number}. {step.title} ({step.safety.label}, {step.cache_class})")
        for finding in step.findings:
            say(f"     for {finding.rule} at {where(finding)}: {clean(finding.message)}")
    for skip in unit.skipped:
        if skip.number is not None:
            say(f"  --take {skip.number}: {skip.title}")
        if _speaks(skip):
            say(f"     not planned: {skip.finding.rule} at {where(skip.finding)}: {skip.reason}")
            if skip.number is not None:
                say(f"     {clean(skip.finding.message)}")
    for prefix in unit.prefix:
        if prefix.offset is not None:
            cost = (
                f"; about {prefix.tokens_after:,} recorded input tokens come after it"
                if prefix.tokens_after
                else ""
            )
            say(f"  first changed byte {prefix.offset:,} (line {prefix.line}){cost}")


def _show_place(unit: UnitPlan) -> None:
    if unit.fork is not None:
        say(f"  as a new session, {clean(unit.fork.session)}: {clean(unit.fork.why)}")
    if unit.refused is not None and (unit.fork is None or unit.fork.why != unit.refused):
        beside = "" if unit.fork else "; --fork leaves the old session as it is"
        say(f"  {clean(unit.refused)}{beside}", "yellow")


def _show_session(session: SessionPlan) -> None:
    if session.client == UNKNOWN:
        say("  no session that suture knows; only its bytes are mended")
        return
    version = f" {session.version}" if session.version else ", version unknown"
    say(f"  session {clean(session.session)} ({clean(session.client + version)})")
    say(f"  now: {_resume(session.before)}", "yellow")
    _show_lines("-", session.before.loses)
    nothing = session.after.resumes == "yes" and not session.after.loses
    last = ", nothing is lost that we know of" if nothing else ""
    say(f"  then: {_resume(session.after)}{last}", "green")
    _show_lines("-", session.after.loses)
    _show_lines("+", session.gains)


def _resume(outlook: Outlook) -> str:
    legal = ", the provider would refuse the request" if outlook.legal is False else ""
    loses = ", and loses:" if outlook.loses else ""
    return f"{_VERBS[outlook.resumes]}{legal}{loses}"


def _show_lines(mark: str, lines: Sequence[str]) -> None:
    for line in lines[:_LINES]:
        say(f"    {mark} {clean(line)}")
    if len(lines) > _LINES:
        say(f"    {mark} and {len(lines) - _LINES} more, in the plan")
