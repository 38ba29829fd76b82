"""Line feeds in a text of a paginated rollout in which no byte may move."""

from collections.abc import Iterator

from suture.model.files import Files
from suture.model.rows import DamageRow
from suture.stores.codex.home import home_of
from suture.stores.codex.lineage import referring
from suture.stores.codex.names import rollout_name
from suture.stores.codex.rollout import Rollout

SPACES = "spaces"


def damage(rollout: Rollout, files: Files) -> Iterator[DamageRow]:
    """An escape is a byte longer than the line feed. A home's rows are made to fit (`resets.py`;
    0.171 resumes and shows all turns then); else a space keeps every place (measured on 0.140 to
    0.171), and the line end is lost."""
    for row in rollout.damage:
        grows = row.kind == "raw_newline" and rollout.paginated and set(row.fills or ()) != {" "}
        if grows and not _may_move(rollout.path, row.offset or 0, files):
            yield row._replace(fills=[" "] * len(row.fills or ()), field=SPACES)
        else:
            yield row


def _may_move(path: str, offset: int, files: Files) -> bool:
    """A copy under this name may have been taken from a home that counts its bytes."""
    if rollout_name(path) is not None and home_of(path) is None:
        return False
    return all(offset >= (link.base_end or 0) for link in referring(path, files))
