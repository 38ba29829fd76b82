"""Hashes of an event log, and what an artifact below it hashes to."""

import json
from pathlib import Path

import pytest
from event_logs import (
    Desk,
    created,
    finished,
    hashes_hold,
    log,
    message,
    proposed,
)


def test_ordinals_hashes_and_the_chain_of_a_written_log_hold(tmp_path: Path) -> None:
    data = log(created(), message(1, content="grüße 🎉 \u2028"), proposed("c"), finished("c"))
    records = Desk(tmp_path, data).tables()["record"]
    assert [r["ordinal"] for r in records] == [0, 1, 2, 3]
    assert [r["kind"] for r in records] == ["header", "prompt", "call", "result"]
    assert hashes_hold(records)


def test_a_changed_payload_breaks_its_hash_and_not_the_chain(tmp_path: Path) -> None:
    data = log(created(), message(1, content="yes"), message(2)).replace(b'"yes"', b'"no!"')
    records = Desk(tmp_path, data).tables()["record"]
    assert [r["hash"] == r["computed"] for r in records] == [True, False, True]
    assert all(r["chain_hash"] == r["chain_computed"] for r in records)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ((b'"go on"', b'"\\ud800"'), "the bytes of the line are damaged"),
        ((b'"go on"', b"9007199254740993"), "beyond 2^53"),
        ((b'"go on"', b'"a","content":"b"'), "the key content stands twice"),
        ((b'"go on"', b"1e999"), "NaN or infinite"),
    ],
)
def test_a_payload_without_canonical_form_cannot_be_verified(
    tmp_path: Path, change: tuple[bytes, bytes], why: str
) -> None:
    desk = Desk(tmp_path, log(created(), message(1), message(2)).replace(*change, 1))
    record = desk.tables()["record"][1]
    assert (record["computed"], record["problem"]) == (None, "unhashable")
    assert why in record["detail"]


def test_white_space_and_the_order_of_keys_do_not_change_a_hash(tmp_path: Path) -> None:
    lines = [json.loads(line) for line in log(created(), message(1)).splitlines()]
    lines[1]["payload"] = dict(reversed(lines[1]["payload"].items()))
    data = b"".join(json.dumps(line, indent=None).encode() + b"\n" for line in lines)
    assert hashes_hold(Desk(tmp_path, data).tables()["record"])
