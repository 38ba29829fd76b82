"""`suture stores`."""

from collections.abc import Mapping

import click

from suture import api
from suture.cli._text import say


@click.command("stores")
@click.argument("name", required=False)
@click.option("--markdown", is_flag=True, help="The table as the README has it.")
@click.option("--map-template", is_flag=True, help="Write a commented mapping file instead.")
def command(name: str | None, markdown: bool, map_template: bool) -> int:
    """List the formats and what each supports, or the repairs that NAME can carry out.

    \b
    suture stores
    suture stores codex
    suture stores --map-template > my.toml
    suture check my.db --map my.toml

    The last two read session tables of your own: docs/mapping.md.
    """
    if map_template:
        click.echo(api.mapping_template(), nl=False)
    elif markdown:
        say(api.stores_markdown())
    elif name is None:
        say(api.stores_table())
        say("\n`suture stores NAME` tells its repairs, and why others are not")
    else:
        _detail(name)
    return 0


def _detail(name: str) -> None:
    store = next((store for store in api.stores() if store.name == name), None)
    if store is None:
        raise click.BadParameter(f"no store {name!r}; `suture stores` lists them")
    say(f"{store.name}: {store.title}")
    say(f"  media: {', '.join(store.media)}")
    for ability, (answer, remark) in api.abilities(store).items():
        say(f"  {ability}: {answer}{', ' if remark else ''}{remark}")
    able = [operation for operation, answer in store.supports().items() if answer == "yes"]
    if able:
        say(f"  repairs: {', '.join(able)}")
    if store.forks:
        say("  writes a repaired session as a new one (plan --fork)")
    for reason, names in _refused(store.supports()).items():
        say(f"  not {', '.join(names)}: {reason}")


def _refused(supports: Mapping[str, str]) -> dict[str, list[str]]:
    """Operations that a store cannot carry out, by the reason."""
    reasons: dict[str, list[str]] = {}
    for name, answer in supports.items():
        if answer != "yes":
            reasons.setdefault(answer, []).append(name)
    return reasons
