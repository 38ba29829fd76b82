"""Sessions of the real revisions, damaged, repaired, and opened by the rules of their client."""

from pathlib import Path

import pytest
from lax_played import asked, started, worked
from lax_revisions import (
    GENERATIONS,
    RefusedError,
    is_legal,
    told,
)
from lax_schemas import SCHEMAS

from suture.model.answer import MARK
from suture.model.operation import Policy
from suture.stores import DiskFiles, Sink
from suture.stores._sqlite import describe
from suture.stores._store import Head
from suture.stores.laxcode import STORE


@pytest.mark.parametrize("variant", SCHEMAS)
@pytest.mark.parametrize("as_bytes", [True, False])
def test_a_healthy_session_is_clean(tmp_path: Path, variant: str, as_bytes: bool) -> None:
    player = worked(tmp_path, variant, as_bytes=as_bytes)
    player.add("user", "more")
    if variant in GENERATIONS:
        player.compact(2, 5, "they fixed it")
        player.add("assistant", "what?")
    else:
        player.shorten(3, "[cleared]")
    assert is_legal(player.load())
    report = player.check()
    assert told(report) == []
    assert report.sessions[0].tail == ("clean" if variant in GENERATIONS else "interrupted_prompt")


@pytest.mark.parametrize("variant", SCHEMAS)
def test_the_variant_is_told_from_the_tables(tmp_path: Path, variant: str) -> None:
    player = worked(tmp_path, variant)
    path = str(player.path)
    assert STORE.recognises(Head(path, b"", describe(path)))
    files, sink = DiskFiles(), Sink()
    (unit,) = STORE.units(files, [path])
    sink.start(0, None)
    STORE.read(unit, files, sink)
    (row,) = next(table for name, table in sink.tables() if name == "session").to_pylist()
    files.close()
    assert (row["variant"], row["id"], row["store"]) == (variant, "s-1", "laxcode")


@pytest.mark.parametrize("variant", SCHEMAS)
def test_open_calls_at_the_end_are_answered_in_history_and_window(
    tmp_path: Path, variant: str
) -> None:
    player = started(tmp_path, variant)
    asked(player, "a", "b")
    player.add("tool", "done b", answers="b")
    before = player.dump()
    assert told(player.check()) == [("partial-parallel", "a")]
    journal = player.repair()
    assert told(player.check()) == []
    sent = player.load()
    assert is_legal(sent)
    assert [row[3] for row in sent] == ["", "", "", "b", "a"]
    assert sent[4][1].startswith(MARK)
    player.undo(journal)
    assert player.dump() == before


@pytest.mark.parametrize("variant", SCHEMAS)
def test_an_open_call_in_mid_history_is_told_where_it_stood(tmp_path: Path, variant: str) -> None:
    player = started(tmp_path, variant)
    asked(player, "a", "b", text="I make.")
    player.add("tool", "done b", answers="b")
    player.add("user", "hello?")
    player.add("assistant", "hello")
    history = player.rows("select * from messages order by 1, 2, 3, 4")
    before = player.dump()
    assert told(player.check()) == [("partial-parallel", "a")]
    journal = player.repair()
    left = [rule for rule, _ in told(player.check())]
    assert left == ["pending-call"]
    sent = player.load()
    assert is_legal(sent)
    role, content, calls, _ = sent[2]
    assert (role, calls) == ("assistant", ["b"])
    assert content.startswith(f"I make.\n\n{MARK}")
    assert '"command":"make"' in content
    assert set(history) <= set(player.rows("select * from messages order by 1, 2, 3, 4"))
    player.undo(journal)
    assert player.dump() == before


@pytest.mark.parametrize("variant", GENERATIONS)
def test_a_call_that_a_summary_hides_is_told_at_the_end(tmp_path: Path, variant: str) -> None:
    player = started(tmp_path, variant)
    asked(player, "a")
    player.add("user", "hello?")
    player.compact(2, 4, "they spoke")
    player.add("assistant", "hello")
    assert told(player.check()) == [("orphan-call-mid", "a")]
    player.repair()
    assert [rule for rule, _ in told(player.check())] == ["pending-call"]
    sent = player.load()
    assert is_legal(sent)
    assert sent[-1][0] == "user"
    assert sent[-1][1].startswith(MARK)


@pytest.mark.parametrize("variant", SCHEMAS)
@pytest.mark.parametrize("policy", [Policy.DROP, Policy.TRUNCATE])
def test_the_end_is_taken_out_and_a_note_left(tmp_path: Path, variant: str, policy: Policy) -> None:
    player = started(tmp_path, variant)
    asked(player, "a")
    before = player.dump()
    if variant == "A" and policy is Policy.TRUNCATE:
        player.repair(policy)
        assert player.dump() == before
        return
    journal = player.repair(policy)
    assert [rule for rule, _ in told(player.check())] == ["pending-call"]
    sent = player.load()
    assert is_legal(sent)
    assert sent[-1][:2] == ("user", sent[-1][1])
    assert "bash" in sent[-1][1]
    player.undo(journal)
    assert player.dump() == before


@pytest.mark.parametrize("variant", GENERATIONS)
@pytest.mark.parametrize("stored", [4, 9])
def test_the_last_number_is_set_by_the_rows(tmp_path: Path, variant: str, stored: int) -> None:
    player = worked(tmp_path, variant)
    player.run("update request_contexts set last_seq = ?", stored)
    with pytest.raises(RefusedError):
        player.load()
    rule = "counter-behind" if stored == 4 else "count-mismatch"
    assert told(player.check()) == [(rule, "")]
    (before,) = player.rows("select revision from request_contexts")
    player.repair()
    assert told(player.check()) == []
    assert player.rows("select last_seq, revision from request_contexts") == [(6, before[0] + 1)]
    assert is_legal(player.load())


@pytest.mark.parametrize("variant", GENERATIONS)
def test_rows_of_a_compaction_that_never_ended_are_taken_out(tmp_path: Path, variant: str) -> None:
    player = worked(tmp_path, variant)
    player.compact(2, 5, "half")
    player.run("update request_contexts set memory_generation = 1")
    assert told(player.check()) == [("window-ahead", "")]
    player.repair()
    assert told(player.check()) == []
    assert player.rows("select max(memory_generation) from messages") == [(1,)]


def test_a_half_compaction_does_not_stand_in_the_way_of_a_new_window(tmp_path: Path) -> None:
    player = started(tmp_path, "C")
    asked(player, "a")
    player.add("user", "hello?")
    player.compact(2, 4, "half")
    player.run("update request_contexts set memory_generation = 1")
    before = player.dump()
    journal = player.repair()
    assert [rule for rule, _ in told(player.check())] == ["pending-call"]
    assert is_legal(player.load())
    player.undo(journal)
    assert player.dump() == before


@pytest.mark.parametrize("variant", GENERATIONS)
def test_a_lost_message_comes_back_from_the_window_of_its_time(
    tmp_path: Path, variant: str
) -> None:
    player = worked(tmp_path, variant)
    player.compact(2, 5, "they fixed it")
    kept = "select * from messages where message_type = 'original'"
    before = player.rows(kept)
    player.run("delete from messages where message_type = 'original' and seq = 5")
    rules = [rule for rule, _ in told(player.check())]
    assert sorted(rules) == ["missing-originals", "pending-call"]
    player.repair()
    assert told(player.check()) == []
    assert sorted(player.rows(kept)) == sorted(before)


def test_a_lost_message_that_no_window_holds_is_only_told(tmp_path: Path) -> None:
    player = worked(tmp_path, "C")
    player.compact(2, 5, "they fixed it")
    player.run("delete from messages where seq = 2 and original_seq_json = cast('[2]' as blob)")
    before = player.dump()
    assert told(player.check()) == [("missing-originals", "")]
    player.repair()
    assert player.dump() == before


@pytest.mark.parametrize("variant", SCHEMAS)
def test_a_session_without_its_row_gets_it_back(tmp_path: Path, variant: str) -> None:
    player = worked(tmp_path, variant)
    sent = player.load()
    table = "session_contexts" if variant == "A" else "request_contexts"
    player.run(f"delete from {table}")
    assert {rule for rule, _ in told(player.check())} == {"session-meta-missing", "foreign-key"}
    player.repair()
    assert told(player.check()) == []
    assert player.load() == sent


def test_rows_without_a_session_or_a_history_go_when_a_person_says_so(tmp_path: Path) -> None:
    player = worked(tmp_path, "C")
    ghost = started(tmp_path, "C", name="ghost")
    ghost.run("delete from messages where session_id = 'ghost' and message_type = 'original'")
    ghost.run("delete from request_contexts where session_id = 'ghost'")
    assert told(player.check()) == [("foreign-key", "")]
    player.repair()
    assert told(player.check()) == [("foreign-key", "")]
    player.repair(take=(1,))
    assert told(player.check()) == []
    assert player.rows("select distinct session_id from messages") == [("s-1",)]
