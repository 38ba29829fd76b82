"""Whether the files of a unit still are what its plan was made from."""

import os
import stat
from collections.abc import Callable

from msgspec import Struct

from suture.model.address import is_server
from suture.model.edit import BytesEdit, DatabaseEdit, RowEdit
from suture.model.errors import ApplyFailed, LiveWriter, StaleStore
from suture.model.files import Writer
from suture.model.plan import SourceState, UnitPlan
from suture.repair import splice
from suture.repair.change import edits_of, is_database
from suture.repair.mounts import network_kind

Identity = tuple[int, int, int]  # inode, size, mtime


class Seen(Struct, frozen=True):
    """The first look at the files of a unit; a second one must see the same."""

    identities: dict[str, Identity | None]  # by real path

    @property
    def newest_ns(self) -> int:
        return max((found[2] for found in self.identities.values() if found), default=0)


def refuse_live(
    unit: UnitPlan, writers: Callable[[UnitPlan], list[Writer]], force_live: bool
) -> None:
    # a client that has the old file open would go on writing into it, unseen
    replaced = any(isinstance(e, DatabaseEdit) for step in unit.steps for e in step.edits)
    found = [] if force_live and not replaced else writers(unit)
    if found:
        evidence = "; ".join(writer.evidence for writer in found)
        raise LiveWriter(f"{unit.unit} is in use: {evidence}")


def refuse_network(unit: UnitPlan, force_network: bool) -> None:
    """SQLite relies on locks that such file systems keep badly, and writers on other hosts are
    not seen."""
    if force_network:
        return
    for index, source in enumerate(unit.sources):
        edits = edits_of(unit, index)
        if not any(isinstance(edit, RowEdit | DatabaseEdit) for edit in edits):
            continue
        if not is_server(source.path) and (kind := network_kind(os.path.realpath(source.path))):
            raise LiveWriter(
                f"{source.path} lies on {kind}: who else writes to it cannot be seen there; "
                "copy it to a local disk, or --force-network writes all the same"
            )


def first_look(unit: UnitPlan, scratch: str) -> Seen:
    seen: dict[str, Identity | None] = {}
    for index, source in enumerate(unit.sources):
        if is_server(source.path):  # its rows are compared too, under a lock
            continue
        real = os.path.realpath(source.path)
        if is_database(unit, index):  # its rows are compared one by one
            if (links := _links(source.path, real)) > 1:
                _refuse_links(source.path, links)
            continue
        seen[real] = _identity(real)
        _check_source(unit, index, source, real, scratch)
        if source.after_path != source.path:
            seen[os.path.realpath(source.after_path)] = None
    second_look(unit, Seen(seen))
    return Seen(seen)


def second_look(unit: UnitPlan, seen: Seen) -> None:
    for path, identity in seen.identities.items():
        if _identity(path) != identity:
            raise StaleStore(f"{path} changed while {unit.unit} was repaired; plan again")


def _identity(path: str) -> Identity | None:
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _check_source(unit: UnitPlan, index: int, source: SourceState, real: str, scratch: str) -> None:
    edits = edits_of(unit, index)
    if source.sha256 is None:
        if os.path.islink(source.path):  # noqa: PTH114 (it may name any place)
            raise ApplyFailed(f"{source.path} is a link that leads nowhere; remove it first")
        if os.path.lexists(real):
            raise StaleStore(f"{source.path} is there by now; plan again")
        return
    links = _links(source.path, real)
    if links > 1 and (edits or source.after_path != source.path):
        _refuse_links(source.path, links)
    if os.path.lexists(source.after_path) and source.after_path != source.path:
        raise StaleStore(f"{source.after_path} is there by now; plan again")
    if os.stat(real).st_size != source.size or splice.digest([real]) != (  # noqa: PTH116
        source.size,
        source.sha256,
    ):
        raise StaleStore(f"{source.path} changed after the plan was made; plan again")
    spans = [edit for edit in edits if isinstance(edit, BytesEdit)]
    if spans:
        with splice.opened(real, scratch) as file:
            splice.check_layout(spans, splice.size_of(file))
            splice.check_before(spans, file)


def _links(path: str, real: str) -> int:
    """How many names a file has, once it is sure that it is one: a pipe would be waited for."""
    try:
        found = os.stat(real)  # noqa: PTH116
    except FileNotFoundError:
        raise StaleStore(f"{path} is gone; plan again") from None
    if not stat.S_ISREG(found.st_mode):
        raise StaleStore(f"{path} is no longer a file; plan again")
    return found.st_nlink


def _refuse_links(path: str, links: int) -> None:
    raise ApplyFailed(
        f"{path} has {links} hard links; a repair under one name would leave the others as they are"
    )
