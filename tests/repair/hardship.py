"""Plans of every kind, and a child in which what would spoil the tests may be done."""

import os
import traceback
from collections.abc import Callable

from desk import Desk, dump

from suture.model.plan import Plan


def made(desk: Desk, kind: str) -> Plan:
    if kind == "rows":
        return desk.database()[1]
    return {"files": desk.two_files, "compressed": desk.compressed, "twin": desk.twin}[kind]()


def state(desk: Desk) -> object:
    """Bytes, modes and times; of a database the rows."""
    databases = list(desk.store.glob("*.db"))
    return [dump(path) for path in databases] if databases else desk.contents()


KINDS = ("files", "compressed", "twin", "rows")


def in_child(action: Callable[[], bool]) -> bool:
    """What must not happen to the process of the tests: fewer rights, smaller files."""
    pid = os.fork()
    if pid == 0:
        status = 2
        try:
            status = 0 if action() else 1
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    _, found = os.waitpid(pid, 0)
    assert os.WIFEXITED(found) and os.WEXITSTATUS(found) < 2, "the child failed"
    return os.WEXITSTATUS(found) == 0
