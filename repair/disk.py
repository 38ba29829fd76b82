"""The only functions of a repair that change the disk."""

import fcntl
import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct

# Extended attributes, an ACL among them: name and value. Python knows those of Linux.
Attributes = tuple[tuple[str, bytes], ...]
_OURS = ("user.", "system.posix_acl_access")  # what any owner of a file may set


class Meta(Struct, frozen=True):
    """What a file keeps though its bytes change. `mtime_ns` None: the time of writing."""

    mode: int
    uid: int
    gid: int
    mtime_ns: int | None
    attributes: Attributes | None = None  # None: those that its folder gives it


class Written(Struct, frozen=True):
    size: int
    sha256: str


PRIVATE = Meta(0o600, os.getuid() if hasattr(os, "getuid") else 0, -1, None)


def write_file(path: str, chunks: Iterable[bytes], meta: Meta = PRIVATE) -> Written:
    """Write a new file that is on the disk, in full, when this returns."""
    digest, size = sha256(), 0
    fd = create(path)
    try:
        for chunk in chunks:
            write(fd, chunk)
            digest.update(chunk)
            size += len(chunk)
        dress(fd, meta)
        sync(fd)
    except OSError as error:
        error.filename = error.filename if isinstance(error.filename, str) else path
        raise
    finally:
        os.close(fd)
    return Written(size, digest.hexdigest())


def replace_file(path: str, data: bytes) -> None:
    """Put a small private file in place at once."""
    fresh = f"{path}.new"
    remove(fresh)
    write_file(fresh, [data])
    rename(fresh, path)


def create(path: str) -> int:
    return os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def write(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def dress(fd: int, meta: Meta) -> None:
    """Give a file the owner, the attributes, the mode and the time of another."""
    found = os.fstat(fd)
    uid = -1 if meta.uid == found.st_uid else meta.uid
    gid = -1 if meta.gid == found.st_gid else meta.gid
    if (uid, gid) != (-1, -1):
        os.fchown(fd, uid, gid)
    if meta.attributes is not None:
        set_attributes(fd, dict(meta.attributes))
    os.fchmod(fd, meta.mode)  # after the ACL, whose mask shows as the mode of the group
    if meta.mtime_ns is not None:
        os.utime(fd, ns=(meta.mtime_ns, meta.mtime_ns))


def attributes(file: str | int) -> Attributes:
    if sys.platform != "linux":
        return ()
    found = []
    with suppress(OSError):  # a file system without them
        for name in sorted(os.listxattr(file)):
            with suppress(OSError):  # not ours to read
                found.append((name, os.getxattr(file, name)))
    return tuple(found)


def set_attributes(fd: int, wanted: Mapping[str, bytes]) -> None:
    """Labels that only the system may set stay as the system set them."""
    if sys.platform != "linux":
        return
    have = dict(attributes(fd))
    for name in sorted(have.keys() | wanted.keys()):
        if have.get(name) == wanted.get(name):
            continue
        try:
            if name in wanted:
                os.setxattr(fd, name, wanted[name])
            else:
                os.removexattr(fd, name)
        except OSError:
            if name.startswith(_OURS):
                raise


def sync(fd: int) -> None:
    if sys.platform == "darwin":
        fcntl.fcntl(fd, fcntl.F_FULLFSYNC)  # fsync alone leaves the bytes in the drive's cache
    else:
        os.fsync(fd)


def sync_file(path: str) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        sync(fd)
    finally:
        os.close(fd)


def sync_folder(path: str) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def rename(path: str, to: str) -> None:
    """Replace `to`; on the disk when this returns. Both lie in the same folder."""
    os.replace(path, to)  # noqa: PTH105 (paths are strings here)
    sync_folder(os.path.dirname(to))  # noqa: PTH120


def remove(path: str) -> None:
    """Remove a file, if it is there."""
    try:
        os.unlink(path)  # noqa: PTH108
    except OSError:
        if os.path.lexists(path):
            raise
        return  # Linux says of what is absent on a read-only file system that it is read-only
    sync_folder(os.path.dirname(path))  # noqa: PTH120


def make_folder(path: str, mode: int) -> None:
    os.mkdir(path, mode)  # noqa: PTH102
    sync_folder(os.path.dirname(path))  # noqa: PTH120


def remove_folder(path: str) -> None:
    """Remove a folder that this repair made, unless something else lies in it by now."""
    folder = Path(path)
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


def remove_tree(path: str) -> None:
    shutil.rmtree(path)


def scratch(folder: str) -> BinaryIO:
    """A file without a name: it is gone when it is closed or the process ends."""
    return tempfile.TemporaryFile(dir=folder)


def copy_file(path: str, to: str) -> None:
    """For a private copy that nobody will miss: not synced."""
    shutil.copyfile(path, to)


PRIVATE_FOLDER = "copy-"  # starts the name; one that is left was left by a kill


@contextmanager
def private_folder(folder: str) -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix=PRIVATE_FOLDER, dir=folder) as private:
        yield private


def commit(connection: sqlite3.Connection) -> None:
    connection.execute("COMMIT")
