"""A look at the pages of a database in a process of its own, while its rows are read already."""

import multiprocessing
import signal
from multiprocessing.connection import Connection
from pathlib import Path


class Look:
    """Begun at once."""

    def __init__(self, copy: Path) -> None:
        context = multiprocessing.get_context("fork")
        self._answer, told = context.Pipe(duplex=False)
        self._process = context.Process(target=_look, args=(copy, told), daemon=True)
        self._process.start()
        told.close()

    def is_sound(self) -> bool:
        """Waits. False too where the process has died: who asks again looks for himself."""
        try:
            return bool(self._answer.recv())
        except EOFError:
            return False

    def end(self) -> None:
        self._answer.close()
        self._process.kill()
        self._process.join()


def _look(copy: Path, told: "Connection[bool, bool]") -> None:
    from suture.stores.sqlite.examine import is_sound  # noqa: PLC0415  # for databases alone

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who began it ends it
    told.send(is_sound(copy))
