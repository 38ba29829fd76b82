"""Sessions of the real revisions in the making; `OPEN`: those that a test has begun."""

from pathlib import Path

from lax_revisions import Player, call

OPEN: list[Player] = []


def started(folder: Path, variant: str, name: str = "s-1", as_bytes: bool = True) -> Player:
    player = Player(folder, variant, name, as_bytes)
    OPEN.append(player)
    player.add("system", "You are lax.")
    player.add("user", "fix <it> & go")
    return player


def asked(player: Player, *names: str, text: str = "") -> None:
    player.add("assistant", text, [call(name) for name in names])


def worked(folder: Path, variant: str, as_bytes: bool = True) -> Player:
    player = started(folder, variant, as_bytes=as_bytes)
    asked(player, "a", "b")
    player.add("tool", "done a", answers="a")
    player.add("tool", "done b", answers="b")
    player.add("assistant", "Fixed.")
    return player
