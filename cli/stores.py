"""`suture stores`."""

import click

from suture import api
from suture.cli._text import say


@click.command("stores")
def command() -> int:
    """List the formats and which repairs each can carry out."""
    for store in api.stores():
        say(f"{store.name}: {store.title}")
        able = [name for name, answer in store.supports.items() if answer == "yes"]
        if able:
            say(f"  repairs: {', '.join(able)}")
        for name, answer in store.supports.items():
            if answer != "yes":
                say(f"  not {name}: {answer}")
    return 0
