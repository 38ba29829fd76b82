"""Links, pipes and odd names: a file is replaced only where that is all there is to it."""

import errno
import os
import struct
import sys
from pathlib import Path

import pytest
from desk import Desk, at, dumped, one_file, only, plan_of, source, unit
from msgspec.structs import replace

from suture.model.edit import SpanEdit
from suture.repair import applier, disk


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setattr(applier, "PAUSE", 0)
    return at(tmp_path)


def test_a_link_stays_a_link(desk: Desk) -> None:
    one_file(desk, "real/a.jsonl")
    link = desk.store / "a.jsonl"
    link.symlink_to(desk.store / "real" / "a.jsonl")
    edit = SpanEdit(str(link), 8, 4, (b'{"c":1}\n',))
    plan = plan_of(unit([source(link, b'{"a":1}\n{"b"', b'{"a":1}\n{"c":1}\n')], edit))
    done = desk.apply(plan)
    assert done.exit_code == 0
    assert link.is_symlink()
    assert (desk.store / "real" / "a.jsonl").read_bytes() == b'{"a":1}\n{"c":1}\n'
    desk.undo(str(done.journal))
    assert link.is_symlink()
    assert link.read_bytes() == b'{"a":1}\n{"b"'


def test_a_file_with_two_names_is_refused(desk: Desk) -> None:
    plan = plan_of(one_file(desk))
    (desk.store / "other").hardlink_to(desk.store / "a.jsonl")
    status, code, reason = only(desk.apply(plan).outcomes)
    assert (status, code) == ("skipped", 5)
    assert "has 2 hard links" in reason


@pytest.mark.skipif(sys.platform == "darwin", reason="file names are Unicode there")
def test_a_name_that_is_not_utf8_is_no_trouble(desk: Desk) -> None:
    plan = plan_of(one_file(desk, os.fsdecode(b"caf\xe9 " + b"n" * 200 + b".jsonl")))
    before = desk.contents()
    done = desk.apply(plan)
    assert done.exit_code == 0
    desk.undo(str(done.journal))
    assert desk.contents() == before


def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(desk: Desk) -> None:
    path = desk.write("side.txt", b"")
    main = one_file(desk)
    plan = plan_of(replace(main, sources=(*main.sources, source(path, b"", b""))))
    data = dumped(plan)
    path.unlink()
    os.mkfifo(path)
    status, code, reason = only(desk.apply_bytes(data).outcomes)
    assert (status, code) == ("skipped", 4)
    assert "no longer a file" in reason


def test_nothing_is_made_where_a_link_leads_nowhere(desk: Desk, tmp_path: Path) -> None:
    plan = desk.two_files()
    (desk.store / "side").mkdir()
    (desk.store / "side" / "new.txt").symlink_to(tmp_path / "elsewhere.txt")
    before = desk.contents()
    status, code, reason = only(desk.apply(plan).outcomes)
    assert (status, code) == ("skipped", 5)
    assert "leads nowhere" in reason
    assert desk.contents() == before
    assert not (tmp_path / "elsewhere.txt").exists()


@pytest.fixture
def labelled(desk: Desk) -> Desk:
    try:
        os.setxattr(desk.store, "user.suture", b"")
        os.removexattr(desk.store, "user.suture")
    except (AttributeError, OSError) as error:
        reason = f"no extended attributes in {desk.store}: {error}"
        if os.environ.get("SUTURE_NO_SKIP"):
            pytest.fail(reason)
        pytest.skip(reason)
    return desk


def acl(*entries: tuple[int, int, int]) -> bytes:
    """As the kernel takes it: tag, permissions and id of each entry."""
    nobody = 0xFFFF_FFFF
    packed = (struct.pack("<HHI", tag, bits, id or nobody) for tag, bits, id in entries)
    return struct.pack("<I", 2) + b"".join(packed)


# owner rw, user 12345 r, group r, mask r, others nothing
ACL = acl((0x01, 6, 0), (0x02, 4, 12345), (0x04, 4, 0), (0x10, 4, 0), (0x20, 0, 0))


def test_attributes_and_acl_are_carried_over_and_come_back(labelled: Desk) -> None:
    desk = labelled
    plan = plan_of(one_file(desk))
    path = desk.store / "a.jsonl"
    os.setxattr(path, "user.origin", b"\x00\xff of a backup")
    os.setxattr(path, "system.posix_acl_access", ACL)
    before, labels = desk.contents(), disk.attributes(str(path))
    assert {"user.origin", "system.posix_acl_access"} <= dict(labels).keys()
    inode = path.stat().st_ino
    done = desk.apply(plan)
    assert done.exit_code == 0 and path.stat().st_ino != inode, "it is another file now"
    assert disk.attributes(str(path)) == labels
    assert desk.contents()["a.jsonl"][1:] == before["a.jsonl"][1:]
    desk.undo(str(done.journal))
    assert disk.attributes(str(path)) == labels
    assert desk.contents() == before


def test_a_file_without_acl_does_not_get_that_of_its_folder(labelled: Desk) -> None:
    desk = labelled
    plan = desk.two_files()
    os.setxattr(desk.store, "system.posix_acl_default", ACL)
    before = desk.contents()
    done = desk.apply(plan)
    assert done.exit_code == 0
    assert disk.attributes(str(desk.store / "log.jsonl")) == ()
    names = dict(disk.attributes(str(desk.store / "side" / "new.txt")))
    assert "system.posix_acl_access" in names, "a new file gets what its folder gives"
    desk.undo(str(done.journal))
    assert desk.contents() == before


def test_an_attribute_that_cannot_be_set_stops_the_repair(
    labelled: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = labelled
    plan = plan_of(one_file(desk))
    os.setxattr(desk.store / "a.jsonl", "user.origin", b"x")
    before = desk.contents()

    def refuse(file: int, name: str, value: bytes) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "setxattr", refuse)
    assert only(desk.apply(plan).outcomes)[:2] == ("rolled_back", 5)
    assert desk.contents() == before
    assert not list(desk.store.rglob(".*"))
