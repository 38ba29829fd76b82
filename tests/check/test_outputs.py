"""What a command writes: whole, or not there, and why."""

import errno
from pathlib import Path

import duckdb
import pytest
from commandline import SAMPLES, Done, suture

from suture import api
from suture.model.errors import CannotWrite
from suture.model.scope import Scope

STORE = SAMPLES / "codex/killed-in-tool"
COMMANDS = {
    "plan": ("plan", STORE, "-o"),
    "load": ("load", STORE, "--db"),
    "export": ("export", "--to", "parquet", STORE),
    "baseline": ("check", STORE, "--write-baseline"),
}


def made(command: str, path: Path) -> Done:
    return suture(*COMMANDS[command], path)


def full(*_: object, **__: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_place_that_cannot_be_is_no_bug(command: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("kept", "utf-8")
    path = tmp_path / "file" / "out"
    done = made(command, path)
    assert (done.code, str(path) in done.err, "cannot be written" in done.err) == (3, True, True)
    assert [p.name for p in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text("utf-8") == "kept"


@pytest.mark.parametrize("command", ["plan", "baseline"])
def test_the_file_that_was_there_stays_when_the_disk_is_full(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "out"
    path.write_text("older", "utf-8")
    path.chmod(0o640)
    monkeypatch.setattr(Path, "replace", full)
    done = made(command, path)
    assert (done.code, "no space left" in done.err) == (3, True)
    assert [p.name for p in tmp_path.iterdir()] == ["out"]
    assert path.read_text("utf-8") == "older"
    monkeypatch.undo()
    made(command, path)
    assert path.read_text("utf-8").startswith("{")
    assert path.stat().st_mode & 0o777 == 0o640


def test_what_is_no_file_takes_the_plan(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.symlink_to("/dev/null")
    assert made("plan", path).code == 1  # something is to be repaired
    assert path.is_symlink()


@pytest.mark.parametrize("was_there", [False, True])
def test_half_an_export_goes_again(
    was_there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "out"
    if was_there:
        path.mkdir()
    monkeypatch.setattr("suture.exporters.parquet._manifest", full)
    done = made("export", path)
    assert (done.code, "no space left" in done.err) == (3, True)
    assert path.exists() == was_there
    assert not was_there or not list(path.iterdir())


def test_half_a_database_goes_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "keep_named", full)
    with pytest.raises(OSError, match="No space"):
        made("load", tmp_path / "out.duckdb")
    assert not list(tmp_path.iterdir())


def test_a_database_that_was_there_stays(tmp_path: Path) -> None:
    path = tmp_path / "out.duckdb"
    assert made("load", path).code == 0
    before = path.read_bytes()
    with pytest.raises(duckdb.Error):
        api.load(Scope((str(STORE),)), path)
    assert path.read_bytes() == before


def test_a_file_of_the_store_is_not_taken_for_the_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object, **__: object) -> None:
        raise FileNotFoundError(errno.ENOENT, "No such file", str(STORE / "gone"))

    monkeypatch.setattr(api, "keep_named", gone)
    with pytest.raises(FileNotFoundError) as raised:
        made("export", tmp_path / "out")
    assert not isinstance(raised.value, CannotWrite)
    assert not list(tmp_path.iterdir())
