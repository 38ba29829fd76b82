"""Files that a user asks for: each whole, or not there. All raise CannotWrite."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from suture.model.errors import CannotWrite


def write_whole(path: Path, data: bytes) -> None:
    """In the place of a file that was there. What is no file, as /dev/stdout, takes the bytes."""
    try:
        target = path.resolve()
        if target.exists() and not target.is_file():
            target.write_bytes(data)
        else:
            _replace(target, data)
    except OSError as error:
        raise _not_written(path, error) from error


def _replace(target: Path, data: bytes) -> None:
    beside = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        beside.write_bytes(data)
        if target.exists():
            shutil.copymode(target, beside)
        beside.replace(target)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise


@contextmanager
def new_database(path: Path) -> Iterator[None]:
    """For a file that DuckDB makes within the block, and its log. One that was there is left."""
    import duckdb  # noqa: PLC0415

    made = () if path.exists() else (path, path.with_name(f"{path.name}.wal"))
    try:
        yield
    except BaseException as error:
        for file in made:
            with suppress(OSError):
                file.unlink()
        if isinstance(error, duckdb.IOException):
            reason = str(error).removeprefix("IO Error: ")
            raise CannotWrite(f"{path} cannot be written: {reason}") from error
        raise


@contextmanager
def new_folder(path: Path) -> Iterator[None]:
    """For a folder that is new, or empty, and is filled within the block."""
    was_there = path.is_dir()
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _not_written(path, error) from error
    try:
        yield
    except BaseException as error:
        for made in path.iterdir() if was_there else (path,):
            shutil.rmtree(made, ignore_errors=True)
        if isinstance(error, OSError) and _is_below(path, error.filename):
            raise _not_written(path, error) from error
        raise


def _is_below(path: Path, place: str | bytes | None) -> bool:
    """Arrow names no file. What goes wrong with those of a store is another matter."""
    return place is None or Path(os.fsdecode(place)).is_relative_to(path)


def _not_written(path: Path, error: OSError) -> CannotWrite:
    reason = (error.strerror or str(error)).lower()
    return CannotWrite(f"{path} cannot be written: {reason}; nothing of it is left")
