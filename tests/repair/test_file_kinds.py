"""Links, pipes and odd names: a file is replaced only where that is all there is to it."""

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from desk import Desk, at, dumped, one_file, only, plan_of, source, unit

from suture.model.edit import SpanEdit
from suture.repair import applier


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
