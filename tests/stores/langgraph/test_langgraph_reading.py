"""What a thread holds, what in it may stand open, and that nothing in it is run."""

import sys
from pathlib import Path
from typing import Any

import pytest
from langgraph_threads import (
    ai,
    checkpoint,
    extension,
    human,
    packed,
    said,
    state,
    tables,
    tool,
    write,
)

from suture.model.errors import Unsupported
from suture.model.operation import Answer, Outcome
from suture.model.unit import Unit
from suture.stores import all_stores
from suture.stores._disk import DiskFiles
from suture.stores._store import Head
from suture.stores.langgraph import STORE
from suture.stores.langgraph.blobs import Built, Opaque, Sealed, decode
from suture.stores.langgraph.edits import SUPPORTS

OPEN = checkpoint(1, state(human("h"), ai("a", "call-1", "call-2")))


def legal(folder: Path, checkpoints: Any, writes: Any = ()) -> list[str | None]:
    return [row["legal_open"] for row in tables(folder, checkpoints, writes)["call"]]


def test_the_tables_are_known_by_their_columns() -> None:
    shape = {
        "checkpoints": frozenset(
            {"thread_id", "checkpoint_ns", "checkpoint_id", "parent_checkpoint_id", "checkpoint"}
        ),
        "writes": frozenset(
            {"thread_id", "checkpoint_ns", "checkpoint_id", "task_id", "idx", "channel"}
        ),
    }
    head = Head("x.db", b"", shape)
    assert [store.name for store in all_stores() if store.claims(head)] == ["langgraph"]
    assert not STORE.claims(Head("x.db", b"", {"checkpoints": shape["checkpoints"]}))


def test_the_tables_of_postgresql_are_known_on_a_server_alone() -> None:
    place = {"thread_id", "checkpoint_ns", "checkpoint_id"}
    tables = {
        "checkpoints": frozenset({*place, "parent_checkpoint_id", "checkpoint"}),
        "checkpoint_blobs": frozenset({"thread_id", "checkpoint_ns", "channel", "version", "blob"}),
        "checkpoint_writes": frozenset({*place, "task_id", "idx", "channel", "blob"}),
    }
    for path, known in (
        ("postgresql://db:5432/agents", ["langgraph"]),
        ("mysql://db:3306/agents", []),
        ("dump.db", []),
    ):
        assert [s.name for s in all_stores() if s.claims(Head(path, b"", tables))] == known


def test_no_class_that_a_value_names_is_imported_or_run() -> None:
    bomb = packed({"channel_values": {"x": extension(0, "antigravity", "explode", "now")}})
    assert decode("msgpack", bomb) == {
        "channel_values": {"x": Built("antigravity", "explode", "now")}
    }
    assert "antigravity" not in sys.modules
    pickled = decode("pickle", b"cos\nsystem\n(S'false'\ntR.")
    assert isinstance(pickled, Sealed) and "never loaded" in pickled.why


@pytest.mark.parametrize(
    ("kind", "data", "found"),
    [
        ("null", b"", None),
        ("bytes", b"ab", b"ab"),
        ("msgpack", packed([extension(1, "m", "C", [1])]), [Built("m", "C", [1])]),
        ("json", b'{"lc":2,"type":"constructor","id":["m","C"],"kwargs":{}}', Built("m", "C", {})),
        ("msgpack+aes", b"\0", Sealed("it is encrypted")),
        ("brainwave", b"", Sealed("it is of the type 'brainwave', which is not known")),
        ("msgpack", packed(extension(7, 1, 2)), [1, 2]),
        ("msgpack", packed(extension(6, 1, 2)), Opaque(6, 3)),
    ],
)
def test_forms_of_values(kind: str, data: bytes, found: object) -> None:
    assert decode(kind, data) == found


@pytest.mark.parametrize("data", [b"\x93\x01", b"\xc1", b"\xa2\xff\xfe", packed(extension(2, 1))])
def test_values_that_nobody_writes_are_refused(data: bytes) -> None:
    with pytest.raises((ValueError, TypeError)):
        decode("msgpack", data)


def test_the_newest_state_is_what_counts(tmp_path: Path) -> None:
    older = checkpoint(1, state(human("h"), ai("gone", "call-9")))
    newer = checkpoint(2, state(human("h"), ai("a", "call-1"), tool("r", "call-1")))
    found = tables(tmp_path, [older, newer])
    kinds = [(row["kind"], row["id"], row["parent"]) for row in found["record"]]
    assert kinds == [
        ("state", "c1", None),
        ("state", "c2", "c1"),
        ("prompt", "h", None),
        ("call", "a", None),
        ("result", "r", None),
    ]
    assert [row["call_id"] for row in found["call"]] == ["call-1"]
    assert [row["status"] for row in found["result"]] == ["ok"]


def test_what_a_finished_task_wrote_on_top_is_an_answer(tmp_path: Path) -> None:
    written = [write(1, "messages", [tool("r", "call-2"), ai("a", "call-1")])]
    found = tables(tmp_path, [OPEN], written)
    assert [row["call_id"] for row in found["result"]] == ["call-2"]
    assert len(found["call"]) == 2, "a write with the id of a message changes that message"


def test_an_interrupt_makes_the_calls_at_the_end_legal(tmp_path: Path) -> None:
    asked = write(1, "__interrupt__", [extension(2, "langgraph.types", "Interrupt", {})], -3)
    assert legal(tmp_path, [OPEN], [asked]) == ["an interrupt waits for a person's answer"] * 2


def test_an_interrupt_of_an_older_checkpoint_does_not(tmp_path: Path) -> None:
    newest = checkpoint(2, state(human("h"), ai("a", "call-1")))
    assert legal(tmp_path, [OPEN, newest], [write(1, "__interrupt__", [], -3)]) == [None]


def test_calls_before_the_last_word_are_open_in_spite_of_an_interrupt(tmp_path: Path) -> None:
    went_on = checkpoint(1, state(ai("a", "call-1"), human("h"), ai("b", "call-2")))
    found = legal(tmp_path, [went_on], [write(1, "__interrupt__", [], -3)])
    assert found == [None, "an interrupt waits for a person's answer"]


def test_a_node_that_has_still_to_run_answers_itself(tmp_path: Path) -> None:
    waiting = checkpoint(1, state(ai("a", "call-1"), **{"branch:to:tools": None}))
    assert legal(tmp_path, [waiting]) == ["the node 'tools' has still to run, a resume runs it"]


def test_a_task_that_failed_does_not(tmp_path: Path) -> None:
    waiting = checkpoint(1, state(ai("a", "call-1"), **{"branch:to:tools": None}))
    found = tables(tmp_path, [waiting], [write(1, "__error__", "boom", -1)])["call"]
    assert [row["legal_open"] for row in found] == [None]
    assert found[0]["reason"] == "a task of the newest checkpoint failed"


def test_a_graph_inside_the_graph_is_a_session_of_its_own(tmp_path: Path) -> None:
    inner = checkpoint(1, state(human("i")), space="child:1")
    found = tables(tmp_path, [OPEN, inner])["session"]
    assert [(row["id"], row["kind"]) for row in found] == [("t", "main"), ("t#child:1", "subagent")]


def test_damage_names_its_row(tmp_path: Path) -> None:
    rows = [
        checkpoint(1, b"\x93\x01"),
        ("t", "", "c2", "c1", "msgpack", packed([1]), b"{"),
        checkpoint(3, state(human("h"), said("HumanMessage", "h", "other"))),
    ]
    lost = ("t", "", "c9", "task", 0, "messages", "msgpack", b"\xc1")
    found = tables(tmp_path, rows, [lost])
    assert [(row["kind"], row["table"]) for row in found["damage"]] == [
        ("bad_json", "checkpoints"),
        ("bad_shape", "checkpoints"),
        ("bad_json", "checkpoints"),
        ("foreign_key", "writes"),
        ("bad_json", "writes"),
    ]
    assert not any(row["fixable"] for row in found["damage"])
    assert [row["same_id"] for row in found["record"]] == [None, None, None, None, 3]


def test_sealed_checkpoints_are_no_damage(tmp_path: Path) -> None:
    found = tables(tmp_path, [checkpoint(1, b"\0", "pickle"), checkpoint(2, b"\0", "json+aes")])
    assert found["damage"] == []
    assert [row["detail"] for row in found["record"]] == [
        "it is a pickle, and pickles are never loaded",
        "it is encrypted",
    ]


def test_texts_in_the_full_pass(tmp_path: Path) -> None:
    odd = checkpoint(
        1, state(said("HumanMessage", "h", [{"type": "text", "text": "look"}]), human("i"))
    )
    found = tables(tmp_path, [odd], full=True)["part"]
    assert [row["text"] for row in found] == ['[{"type":"text","text":"look"}]', "words"]


def test_no_operation_is_written_and_each_says_why() -> None:
    assert "yes" not in SUPPORTS.values()
    answer = Answer(0, 2, 1, "call-1", Outcome.UNKNOWN)
    unit = Unit(0, "langgraph", ("threads.db",), "t")
    disk = DiskFiles()
    try:
        with pytest.raises(Unsupported, match="only the program's own graph writes a state"):
            STORE.edits(unit, disk, [answer])
    finally:
        disk.close()
