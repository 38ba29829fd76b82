"""`suture rules`."""

import click

from suture import api
from suture.cli._text import say


@click.command("rules")
@click.argument("name", required=False)
@click.option("--markdown", is_flag=True, help="All pages as one document.")
def command(name: str | None, markdown: bool) -> int:
    """List the rules, or print the page of NAME (a name or a code).

    \b
    suture rules orphan-call-tail
    """
    if markdown:
        say(api.rules_markdown().rstrip("\n"))
        return 0
    rules = api.rules()
    if name is None:
        for rule in rules:
            say(f"{rule.code}  {rule.severity.label:5}  {rule.name}")
        return 0
    found = [rule for rule in rules if name in (rule.name, rule.code)]
    if not found:
        raise click.BadParameter(f"no rule {name!r}; `suture rules` lists them")
    rule = found[0]
    say(f"{rule.code} {rule.name} ({rule.severity.label})\n")
    say(api.rule_page(rule))
    return 0
