"""Edits of bytes in an event log: what a chain of hashes holds in its place."""

import json
from pathlib import Path

import pytest
from event_logs import (
    Desk,
    created,
    finished,
    log,
    message,
)

from suture.model.errors import Unsupported
from suture.model.operation import (
    Cut,
    Drop,
    DropPart,
    Quarantine,
    Renumber,
    Replace,
)
from suture.model.place import Span


def spans(desk: Desk, n: int) -> Span:
    row = desk.tables()["record"][n]
    return Span(str(desk.path), row["line"], row["offset"], row["length"])


def test_a_repeated_line_is_dropped_without_harm_to_the_chain(tmp_path: Path) -> None:
    lines = log(created(), message(1), message(2)).splitlines(keepends=True)
    desk = Desk(tmp_path, lines[0] + lines[1] + lines[1] + lines[2])
    desk.repair(Drop(0, 2))
    assert desk.data == b"".join(lines)


def test_a_line_that_the_chain_needs_is_kept(tmp_path: Path) -> None:
    desk = Desk(tmp_path, log(created(), message(1), finished("none"), message(2)))
    for operation in (Drop(0, 2), DropPart(0, 2, 0), Quarantine(spans(desk, 2))):
        with pytest.raises(Unsupported, match="chain of hashes would break"):
            desk.repair(operation)


def test_without_a_chain_a_stray_result_goes(tmp_path: Path) -> None:
    desk = Desk(tmp_path, log(created(), message(1), finished("none"), chained=False))
    desk.repair(DropPart(0, 2, 0))
    assert [r["type"] for r in desk.tables()["record"]][-1] == "message.appended"


def test_bytes_under_a_hash_are_not_replaced(tmp_path: Path) -> None:
    desk = Desk(tmp_path, log(created(), message(1, content="yes")))
    place = desk.data.index(b"yes")
    for operation in (
        Replace(Span(str(desk.path), 2, place, 3), b"no!"),
        Cut(Span(str(desk.path), 2, place, 1)),
    ):
        with pytest.raises(Unsupported, match="hash covers"):
            desk.repair(operation)


def test_bytes_that_stand_in_the_way_of_a_hashed_record_go(tmp_path: Path) -> None:
    data = log(created(), message(1, content="yes"))
    at_quote = data.index(b"yes")
    desk = Desk(tmp_path, data[:at_quote] + b"\0\0" + data[at_quote:])
    desk.repair(Cut(Span(str(desk.path), 2, at_quote, 2)))
    assert desk.data == data


def test_a_torn_tail_is_cut(tmp_path: Path) -> None:
    data = log(created(), message(1))
    desk = Desk(tmp_path, data + b'{"id":"x","ordi')
    desk.repair(Cut(Span(str(desk.path), 3, len(data), 15)))
    assert desk.data == data


def test_ordinals_move_only_where_no_chain_holds_them(tmp_path: Path) -> None:
    free = {"message_id": "m", "role": "user", "content": "x", "status": "s", "ordinal": 5}
    typed = (created(), ("message.appended", free), message(2))
    desk = Desk(tmp_path, log(*typed))
    with pytest.raises(Unsupported, match="chain"):
        desk.repair(Renumber(0, 1, 7))
    bare = Desk(tmp_path, log(*typed, chained=False))
    assert bare.repair(Renumber(0, 1, 7)) == ["envelope"]
    assert [json.loads(line)["ordinal"] for line in bare.data.splitlines()] == [0, 7, 8]
    assert all(r["hash"] == r["computed"] for r in bare.tables()["record"])
