"""What a path lies on, as the table of mounts tells."""

import pytest

from suture.repair import mounts

MOUNTS = r"""22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 0:40 / /home rw - nfs4 server:/export rw
31 22 0:41 / /mnt/two\040words rw - 9p drvfs rw
32 30 8:2 / /home/local rw - xfs /dev/sdb rw
33 22 0:42 / /over rw - nfs server:/x rw
34 22 8:3 / /over rw - ext4 /dev/sdc rw
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/srv/s.db", "ext4"),
        ("/home/ann/s.db", "nfs4"),
        ("/home/local/s.db", "xfs"),
        ("/homes/s.db", "ext4"),
        ("/mnt/two words/s.db", "9p"),
        ("/over/s.db", "ext4"),
    ],
)
def test_the_innermost_mount_says_what_a_path_lies_on(path: str, kind: str) -> None:
    assert mounts.kind_of(path, mounts.linux_mounts(MOUNTS)) == kind


def test_mounts_of_macos() -> None:
    table = "/dev/disk1 on / (apfs, local)\n//ann@host/s on /Volumes/s (smbfs, nodev)\n"
    assert mounts.kind_of("/Volumes/s/x.db", mounts.darwin_mounts(table)) == "smbfs"
