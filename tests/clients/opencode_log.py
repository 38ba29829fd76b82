"""Faults of the files of an OpenCode database: nearly all that it holds lies in the `-wal`.

OpenCode never closes its database, so that the log of each run stays. The session is that of
`scenes.worked`: the main file holds what the first of two runs had stored when the second began.
"""

from collections.abc import Callable
from pathlib import Path

from damage_done import Fault, OnDisk

HEADER, FRAME, PAGE = 32, 24, 4096
SIZE = FRAME + PAGE

Change = Callable[[bytearray, list[int]], bytearray]  # the log, where its own frames begin


def frames(log: bytearray) -> list[int]:
    """Where the frames of this life of the log begin; older ones may stand behind them."""
    starts = range(HEADER, len(log) - SIZE + 1, SIZE)
    return [at for at in starts if log[at + 8 : at + 16] == log[16:24]]


def spoil(database: Path, change: Change) -> None:
    path = database.with_name(f"{database.name}-wal")
    log = bytearray(path.read_bytes())
    path.write_bytes(change(log, frames(log)))


def in_log(change: Change, *, index: bool = True) -> OnDisk:
    """`index`: whether the `-shm`, which counts the frames, stays."""

    def damage(database: Path) -> None:
        spoil(database, change)
        if not index:
            without_index(database)

    return OnDisk(damage)


def without_index(database: Path) -> None:
    database.with_name(f"{database.name}-shm").unlink()


def spoiled(log: bytearray, at: int) -> bytearray:
    """Eight bytes within a page are others than its checksum says."""
    middle = at + FRAME + PAGE // 2
    log[middle : middle + 8] = bytes(byte ^ 0xFF for byte in log[middle : middle + 8])
    return log


def spoil_middle(log: bytearray, own: list[int]) -> bytearray:
    return spoiled(log, own[len(own) // 2])


def spoil_last(log: bytearray, own: list[int]) -> bytearray:
    return spoiled(log, own[-1])


def spoil_header(log: bytearray, own: list[int]) -> bytearray:
    log[24] ^= 0xFF
    return log


def cut_last(log: bytearray, own: list[int]) -> bytearray:
    return log[: own[-1] + SIZE // 2]


def cut_middle(log: bytearray, own: list[int]) -> bytearray:
    return log[: own[len(own) // 2] + SIZE // 2]


def cut_all(log: bytearray, own: list[int]) -> bytearray:
    return log[:0]


# Nothing is lost, or nothing proves it: suture stays silent.
SILENT = (
    Fault("no-index", OnDisk(without_index), whole=True),
    Fault("last-frame-cut-no-index", in_log(cut_last, index=False), whole=True),
)
# What stands behind the damage verifies frame by frame.
WON = (
    Fault("frame-spoiled", in_log(spoil_middle), whole=True, take=(1,)),
    Fault("frame-spoiled-no-index", in_log(spoil_middle, index=False), whole=True, take=(1,)),
    Fault("header-spoiled", in_log(spoil_header), whole=True, take=(1,)),
)
# The `-shm` proves that more was committed; nothing brings it back.
GONE = (
    Fault("last-frame-cut", in_log(cut_last)),
    Fault("last-frame-spoiled", in_log(spoil_last)),
    Fault("middle-cut", in_log(cut_middle)),
    Fault("all-cut", in_log(cut_all)),
)
