"""Edits of single items of a rollout: nothing beside them moves."""

from pathlib import Path

import pytest
import rollouts as r

from suture.model.errors import Unsupported
from suture.model.operation import (
    DropPart,
    Move,
    Rebuild,
    Rekey,
    RekeyCall,
    Renumber,
)


def test_parts_dropped_together_leave_json(tmp_path: Path) -> None:
    items = [r.message("user", "go")[1], r.call("c")[1], r.output("d")[1]]
    entry = ("compacted", {"message": "", "replacement_history": items})
    for first in (None, 0):
        header = r.meta() if first is None else r.PAGINATED
        path = r.write(tmp_path / str(first), r.lines([header, entry], first))
        for parts in ((0,), (1,), (2,), (1, 2), (0, 1), (0, 2), (0, 1, 2)):
            after = r.repaired(path, *(DropPart(0, 1, part) for part in parts))
            kept = [item for i, item in enumerate(items) if i not in parts]
            assert r.records(after)[1]["payload"]["replacement_history"] == kept
            assert first is None or len(after) == path.stat().st_size


@pytest.mark.parametrize("numbered", [False, True])
def test_a_result_moves_behind_its_call(tmp_path: Path, numbered: bool) -> None:
    header = r.PAGINATED if numbered else r.meta()
    entries = [header, r.output("c"), r.call("c"), r.message("assistant", "x")]
    path = r.write(tmp_path, r.lines(entries, 9 if numbered else None))
    after = r.repaired(path, Move(0, 1, 2))
    assert len(after) == path.stat().st_size
    payloads = [line["payload"] for line in r.records(after)]
    assert payloads == [entries[i][1] for i in (0, 2, 1, 3)]
    if numbered:
        assert [line["ordinal"] for line in r.records(after)] == [9, 10, 11, 12]
    back = r.write(tmp_path / "back", r.lines([r.meta(), r.call("c"), r.start("t"), r.output("c")]))
    moved = [line["type"] for line in r.records(r.repaired(back, Move(0, 3, 1)))]
    assert moved == ["session_meta", "response_item", "response_item", "event_msg"]


def test_an_ordinal_that_stands_last_is_renumbered_where_it_is(tmp_path: Path) -> None:
    line = b'{"timestamp":"2026-03-02T09:00:00.000Z","type":"event_msg","payload":{},"ordinal":3}\n'
    after = r.repaired(r.write(tmp_path, line), Renumber(0, 0, 10))
    assert after == line.replace(b":3}", b":10}")


def test_an_item_id_goes_and_nothing_else(tmp_path: Path) -> None:
    entry = r.call("c", id="ctc_1")
    path = r.write(tmp_path, r.lines([r.meta(), entry]))
    after = r.records(r.repaired(path, Rekey(0, 1)))[1]["payload"]
    assert after == {k: v for k, v in entry[1].items() if k != "id"}
    compacted = ("compacted", {"replacement_history": [entry[1], r.call("d", id="fc_1")[1]]})
    path = r.write(tmp_path / "b", r.lines([r.PAGINATED, compacted], 0))
    data = r.repaired(path, Rekey(0, 1))
    assert len(data) == path.stat().st_size
    ids = [item.get("id") for item in r.records(data)[1]["payload"]["replacement_history"]]
    assert ids == [None, "fc_1"]


def test_a_second_call_of_one_id_gets_another_of_the_same_length(tmp_path: Path) -> None:
    entries = [r.PAGINATED, r.call("call_0123456789"), r.output("call_0123456789")]
    path = r.write(tmp_path, r.lines([*entries, *entries[1:]], 0))
    after = r.repaired(path, RekeyCall(0, 3, 0, "call_0123456789", 4, 0))
    assert len(after) == path.stat().st_size
    ids = [line["payload"].get("call_id") for line in r.records(after)[1:]]
    assert ids[0] == ids[1] != ids[2] == ids[3]
    assert after == r.repaired(path, RekeyCall(0, 3, 0, "call_0123456789", 4, 0))


def test_a_header_is_rebuilt_from_the_name_and_the_last_turn(tmp_path: Path) -> None:
    context = ("turn_context", {"cwd": "/srv/shop", "model": "m"})
    path = r.write(tmp_path, r.lines([context, r.message("user", "go")]))
    after = r.repaired(path, Rebuild(0, "header"))
    assert after.endswith(path.read_bytes())
    header = r.records(after)[0]
    assert header["type"] == "session_meta"
    assert (header["payload"]["id"], header["payload"]["cwd"]) == (r.THREAD, "/srv/shop")
    assert header["suture"] == {"rule": "header-rebuilt"}
    late = r.write(tmp_path / "b", r.lines([context], 1))
    assert r.records(r.repaired(late, Rebuild(0, "header")))[0]["ordinal"] == 0
    early = r.write(tmp_path / "c", r.lines([context], 0))
    assert [line["ordinal"] for line in r.records(r.repaired(early, Rebuild(0, "header")))] == [
        0,
        1,
    ]
    unnamed = r.write(tmp_path, r.lines([context]), "input.jsonl")
    with pytest.raises(Unsupported, match="file name"):
        r.repaired(unnamed, Rebuild(0, "header"))
