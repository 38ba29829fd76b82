"""The typed decoder of the reader and the JSON Schemas say yes and no to the same payloads."""

import json
from typing import Any

import pytest
from event_examples import DIGEST, TIME, VALID, examples
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # it ships no types

from suture import schemas
from suture.stores.eventlog.lines import decode
from suture.stores.eventlog.payloads import TYPES
from suture.stores.eventlog.writer import NewEvent, Tail, append_lines


def schema(kind: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(schemas.text(f"eventlog/{kind}.json"))
    return loaded


def required(kind: str) -> list[str]:
    return list(schema(kind).get("required", []))


def decodes(kind: str, payload: dict[str, Any]) -> bool:
    line = {
        "id": "e",
        "ordinal": 0,
        "ts": TIME,
        "type": kind,
        "payload": payload,
        "hash": f"sha256:{DIGEST}",
    }
    try:
        decode(json.dumps(line).encode())
    except ValueError:
        return False
    return True


def test_every_type_has_a_schema_and_an_example() -> None:
    assert set(VALID) == set(TYPES)
    for kind in (*TYPES, "event"):
        Draft202012Validator.check_schema(schema(kind))


@pytest.mark.parametrize(("kind", "payload", "fits"), examples(required))
def test_decoder_and_schema_agree(kind: str, payload: dict[str, Any], fits: bool) -> None:
    assert Draft202012Validator(schema(kind)).is_valid(payload) is fits
    assert decodes(kind, payload) is fits


@pytest.mark.parametrize("kind", sorted(VALID))
def test_what_the_writer_writes_fits_the_envelope(kind: str) -> None:
    events = [NewEvent(kind, payload, TIME) for payload in VALID[kind]]
    for line in append_lines(events, Tail("s")).splitlines():
        Draft202012Validator(schema("event")).validate(json.loads(line))
        assert decode(line).type == kind


@pytest.mark.parametrize(
    ("key", "wrong"),
    [
        ("id", ""),
        ("id", 4),
        ("ordinal", -1),
        ("ordinal", "0"),
        ("ordinal", 2**53),
        ("ts", "2026-03-02"),
        ("type", None),
        ("payload", "text"),
        ("payload", [1]),
        ("hash", DIGEST),
        ("prev", "x"),
        ("chain", 5),
    ],
)
def test_decoder_and_schema_agree_on_the_envelope(key: str, wrong: Any) -> None:
    line = append_lines([NewEvent("session.closed", {"reason": "exit"}, TIME)], Tail("s"))
    event = {**json.loads(line), key: wrong}
    assert not Draft202012Validator(schema("event")).is_valid(event)
    with pytest.raises(ValueError):
        decode(json.dumps(event).encode())
