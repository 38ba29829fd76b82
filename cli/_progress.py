"""A bar on stderr while much is read; nothing when stderr is no terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from suture.model.scope import Progress

_BAR_FROM = 32 << 20  # bytes: less is read before a person would look


@contextmanager
def progress_bar() -> Iterator[Progress | None]:
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    bar = _Bar()
    try:
        yield bar.told
    finally:
        bar.stop()


class _Bar:
    """Starts with the first report on enough bytes, goes away with the last."""

    def __init__(self) -> None:
        self._stop: Callable[[], None] = lambda: None
        self._update: Callable[[int, int], None] = lambda size, units: None
        self._started = False

    def told(self, size: int, total: int, units: int, all_units: int) -> None:
        if total < _BAR_FROM:
            return
        if not self._started:
            self._start(total, all_units)
        self._update(size, units)
        if units >= all_units:
            self.stop()

    def _start(self, total: int, all_units: int) -> None:
        # Late: rich takes a tenth of a second that a small check does not have.
        from rich import progress  # noqa: PLC0415
        from rich.console import Console  # noqa: PLC0415

        shown = progress.Progress(
            progress.TextColumn("reading"),
            progress.BarColumn(),
            progress.DownloadColumn(),
            progress.TextColumn("{task.fields[units]} of " + f"{all_units} units"),
            progress.TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        task = shown.add_task("read", total=total, units=0)
        shown.start()
        self._started = True
        self._stop = shown.stop
        self._update = lambda size, units: shown.update(task, completed=size, units=units)

    def stop(self) -> None:
        self._stop()
