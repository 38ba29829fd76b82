"""`suture plan`."""

from pathlib import Path

import click

from suture import api
from suture.cli._next import next_command, of_the_store
from suture.cli._options import journal_option, scope_options
from suture.cli._plan_text import show_plan
from suture.cli._text import emit_json, say, show_notices
from suture.model.finding import Severity
from suture.model.operation import Policy
from suture.model.plan import Plan
from suture.model.scope import Scope, Wanted

_CHOICES = ("policy", "safe_only", "take", "skip", "fork", "answer_text", "no_content")


def _words(_: click.Context, __: click.Parameter, text: str | None) -> str | None:
    if text is None:
        return None
    if not text.strip():
        raise click.BadParameter("it is empty")
    if not all(char.isprintable() or char in "\n\t" for char in text):
        raise click.BadParameter("it holds characters that cannot be printed")
    return text.strip()


def _next(plan: Plan, scope: Scope, output: Path) -> str:
    if any(unit.steps for unit in plan.units):
        return next_command("apply", str(output))
    skips = [skip for unit in plan.units for skip in unit.skipped]
    numbers = [skip.number for skip in skips if skip.number is not None]
    if not numbers:
        return "nothing to apply"
    last = ("--take", str(numbers[0]), "-o", str(output))
    again = next_command("plan", *scope.paths, repeat=(*of_the_store(), *_CHOICES), last=last)
    which = f"the first of the {len(numbers)} numbered repairs" if numbers[1:] else "that repair"
    return f"nothing to apply; `{again}` plans {which}"


@click.command("plan")
@scope_options
@journal_option
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), required=True)
@click.option(
    "--policy",
    type=click.Choice([policy.value for policy in Policy]),
    default=Policy.ANSWER.value,
    show_default=True,
    help="What becomes of calls that a crash left open.",
)
@click.option("--safe-only", is_flag=True, help="Leave out every step that is lossy.")
@click.option("--take", type=int, multiple=True, help="Include this numbered manual repair.")
@click.option("--skip", multiple=True, help="Leave this rule or fingerprint alone.")
@click.option(
    "--fork/--in-place",
    "fork",
    default=None,
    help="Write the repaired session as a new one and leave the old as it is.",
)
@click.option(
    "--answer-text",
    metavar="TEXT",
    callback=_words,
    help="What an added result says; that it is unknown, and from whom, is said all the same.",
)
@click.option("--no-content", is_flag=True, help="Do not quote removed bytes in the plan.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text")
def command(
    scope: Scope,
    journal: Path | None,
    output: Path,
    policy: str,
    safe_only: bool,
    take: tuple[int, ...],
    skip: tuple[str, ...],
    fork: bool | None,
    answer_text: str | None,
    no_content: bool,
    form: str,
) -> int:
    """Write a plan to OUTPUT that repairs STORE. Changes nothing else.

    \b
    suture plan SESSION.jsonl -o plan.json
    suture plan SESSION.jsonl -o plan.json --policy drop --safe-only

    Exit codes: 0 nothing to do, 1 the plan has steps or findings for a person, 3 nothing to read.
    """
    made = api.plan(
        scope, Wanted(Policy(policy), safe_only, take, skip, fork, answer_text), output, no_content
    )
    show_notices(api.unfinished(journal))
    if form == "json":
        emit_json({"plan": str(output), "steps": sum(len(u.steps) for u in made.units)})
    else:
        show_plan(made)
        say(f"\nnext: {_next(made, scope, output)}")
    left = any(s.finding.severity > Severity.INFO for u in made.units for s in u.skipped)
    return int(left or bool(made.refused) or any(unit.steps for unit in made.units))
