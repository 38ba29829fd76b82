"""What is told of sessions of the real revisions, and how many of them are read together."""

import sqlite3
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import pytest
from lax_played import started, worked
from lax_revisions import (
    RefusedError,
    time,
    told,
)
from msgspec.structs import replace

from suture import api
from suture.stores import DiskFiles, Sink
from suture.stores._times import microseconds
from suture.stores.laxcode import STORE
from suture.stores.laxcode import read as reading
from suture.stores.laxcode.lines import Lines, lines
from suture.stores.laxcode.shape import Shape


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ("delete from messages where message_type = 'in_memory' and seq = 6", "ends at 5"),
        ("delete from messages where message_type = 'in_memory' and seq = 1", "system prompt"),
        ("delete from messages where message_type = 'in_memory'", "window is empty"),
        (
            "update messages set role = 'system' where message_type = 'in_memory' and seq = 6",
            "within the window",
        ),
        (
            "update messages set original_seq_json = '[6,5]' "
            "where message_type = 'in_memory' and seq = 6",
            "names its messages wrongly",
        ),
    ],
)
def test_what_the_client_refuses_to_open_is_told(tmp_path: Path, damage: str, said: str) -> None:
    player = worked(tmp_path, "C")
    player.run(damage)
    with pytest.raises(RefusedError):
        player.load()
    found = [item.finding for item in player.check().findings]
    assert any(said in f.message and "refuses to open" in f.message for f in found)


def test_a_stored_hash_is_checked_by_the_recipe_that_fits(tmp_path: Path) -> None:
    player = worked(tmp_path, "A")
    player.run("update messages set content = 'done!' where message_id = 'm-3'")
    rules = told(player.check())
    assert rules == [("hash-mismatch", "")]
    player.run("update messages set payload_hash = 'aa' || substr(payload_hash, 3)")
    assert [rule for rule, _ in told(player.check())] == ["hash-unverifiable"]


def test_a_link_to_a_message_that_is_not_there_is_told(tmp_path: Path) -> None:
    player = worked(tmp_path, "A")
    player.run("update session_context_messages set message_id = 'm-9' where position = 4")
    rules = {rule for rule, _ in told(player.check())}
    assert "foreign-key" in rules


def test_artifacts_are_compared_with_their_name(tmp_path: Path) -> None:
    player = worked(tmp_path, "C")
    name = sha256(b"long output").hexdigest()
    player.compact(2, 2, "shorter")
    player.run(
        "update messages set artifact_id = ?, artifact_byte_size = 11 "
        "where memory_generation = 2 and seq = 4",
        name,
    )
    assert told(player.check()) == []  # the database came without its folder
    file = player.path.parent / ".session" / "s-1" / "artifacts" / name
    file.parent.mkdir(parents=True)
    assert [rule for rule, _ in told(player.check())] == ["missing-artifact"]
    file.write_bytes(b"long output")
    assert told(player.check()) == []
    file.write_bytes(b"long outpux")
    assert [rule for rule, _ in told(player.check())] == ["artifact-hash"]


def test_many_sessions_read_together_say_what_each_says_alone(tmp_path: Path) -> None:
    player = worked(tmp_path, "C")
    for number in range(12):
        started(tmp_path, "C", name=f"t-{number:02d}")
    player.run("update messages set content = cast(x'ff' as text) where session_id = 't-03'")
    files = DiskFiles()
    units = STORE.units(files, [str(player.path)])
    together, alone = Sink(full=True), Sink(full=True)
    assert STORE.read_together is not None
    STORE.read_together(units, files, together, None)
    for unit in units:
        alone.start(unit.index, None)
        STORE.read(unit, files, alone)
    rows = [
        {name: sorted(map(str, table.to_pylist())) for name, table in sink.tables()}
        for sink in (together, alone)
    ]
    files.close()
    assert rows[0] == rows[1]
    assert len(rows[0]["session"]) == 13


def test_what_is_wrong_with_one_session_does_not_hide_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = worked(tmp_path, "C")
    started(tmp_path, "C", name="s-2")
    real = lines

    def failing(database: sqlite3.Connection, shape: Shape, names: Sequence[str]) -> list[Lines]:
        if "s-1" in names:
            raise sqlite3.DatabaseError("database disk image is malformed")
        return list(real(database, shape, names))

    monkeypatch.setattr(reading, "lines", failing)
    files, sink = DiskFiles(), Sink()
    reading.read_together(STORE.units(files, [str(player.path)]), files, sink, None)
    found = {name: table.to_pylist() for name, table in sink.tables()}
    files.close()
    assert [row["id"] for row in found["session"]] == ["s-2"]
    assert [row["kind"] for row in found["damage"]] == ["unreadable"]


def test_sessions_that_are_older_than_asked_are_left_out(tmp_path: Path) -> None:
    player = worked(tmp_path, "C")
    started(tmp_path, "C", name="s-2")  # ends in its second second
    since = microseconds(time(3))
    found = api.sessions(replace(player.scope, since=since))
    assert [line.id for line in found] == ["s-1"]


def test_check_leaves_a_crashed_database_as_it_is(tmp_path: Path) -> None:
    player = worked(tmp_path, "C")
    player.run("pragma journal_mode = wal")
    player.run("update request_contexts set revision = revision + 1")
    files = {p: p.read_bytes() for p in player.path.parent.iterdir() if p.suffix != ".db-shm"}
    assert any(path.name.endswith("-wal") and data for path, data in files.items())
    api.check(player.scope, tmp_path / "journal")
    assert {p: p.read_bytes() for p in files} == files
