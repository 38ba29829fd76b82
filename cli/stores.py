"""`suture stores`."""

from collections.abc import Mapping

import click

from suture import api
from suture.cli._text import say


@click.command("stores")
@click.option("--map-template", is_flag=True, help="Write a commented mapping file instead.")
def command(map_template: bool) -> int:
    """List the formats and which repairs each can carry out.

    \b
    suture stores
    suture stores --map-template > my.toml
    suture check my.db --map my.toml

    The last two read session tables of your own: docs/mapping.md.
    """
    if map_template:
        click.echo(api.mapping_template(), nl=False)
        return 0
    for store in api.stores():
        say(f"{store.name}: {store.title}")
        able = [name for name, answer in store.supports().items() if answer == "yes"]
        if able:
            say(f"  repairs: {', '.join(able)}")
        if store.forks:
            say("  writes a repaired session as a new one (plan --fork)")
        for reason, names in _refused(store.supports()).items():
            say(f"  not {', '.join(names)}: {reason}")
    return 0


def _refused(supports: Mapping[str, str]) -> dict[str, list[str]]:
    """Operations that a store cannot carry out, by the reason."""
    reasons: dict[str, list[str]] = {}
    for name, answer in supports.items():
        if answer != "yes":
            reasons.setdefault(answer, []).append(name)
    return reasons
