"""Whether a path lies on another machine, as the table of mounts says."""

import re
import subprocess
import sys
from pathlib import Path

Mounts = list[tuple[str, str]]  # mount point and type

_TABLE = Path("/proc/self/mountinfo")
_NETWORK = frozenset({"9p", "afpfs", "afs", "beegfs", "ceph", "cifs", "coda", "fuse.sshfs"})
_NETWORK |= {"fuse.glusterfs", "gfs2", "glusterfs", "lustre", "ncpfs", "nfs", "nfs4", "ocfs2"}
_NETWORK |= {"smb3", "smbfs", "virtiofs", "webdav"}
_ESCAPE = re.compile(r"\\([0-7]{3})")  # a blank in a name is \040
_MOUNT = re.compile(r"^.*? on (/.*) \((\w+)", re.MULTILINE)


def network_kind(path: str) -> str | None:
    """The type of the file system if it is one of a network; `path` has no link in it."""
    kind = kind_of(path, _mounts())
    return kind if kind in _NETWORK else None


def _mounts() -> Mounts:
    try:
        if sys.platform == "darwin":
            done = subprocess.run(["/sbin/mount"], capture_output=True, text=True, check=False)
            return darwin_mounts(done.stdout)
        return linux_mounts(_TABLE.read_text("utf-8", "surrogateescape"))
    except OSError:
        return []


def kind_of(path: str, mounts: Mounts) -> str:
    """Of the longest mount point above the path; the last of two at one place hides the first."""
    found, longest = "", -1
    for point, kind in mounts:
        above = path == point or path.startswith(point.rstrip("/") + "/")
        if above and len(point) >= longest:
            found, longest = kind, len(point)
    return found


def linux_mounts(table: str) -> Mounts:
    """Of the lines of `mountinfo`."""
    found = []
    for line in table.splitlines():
        before, _, after = line.partition(" - ")
        fields = before.split(" ")
        if len(fields) > 4 and after:
            point = _ESCAPE.sub(lambda found: chr(int(found[1], 8)), fields[4])
            found.append((point, after.split(" ", 1)[0]))
    return found


def darwin_mounts(table: str) -> Mounts:
    """Of lines like `//me@host/share on /Volumes/share (smbfs, nodev)`."""
    return [(found[1], found[2]) for found in _MOUNT.finditer(table)]
