"""A plan file says the same each time, reads back as it was, and is refused when it is not one."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from suture.model.edit import (
    Copy,
    Edit,
    FileEdit,
    RangeEdit,
    RowEdit,
    Shift,
    SpanEdit,
    Swap,
    TwinEdit,
    Value,
)
from suture.model.errors import BadPlan
from suture.model.finding import Finding, Severity
from suture.model.operation import Policy, Safety
from suture.model.place import Place, Row, Span
from suture.model.plan import (
    Fork,
    Outlook,
    Plan,
    Prefix,
    SessionPlan,
    Skip,
    SourceState,
    Step,
    UnitPlan,
)
from suture.repair import plan_json

words = st.text(max_size=6)
numbers = st.integers(0, 2**40)
shas = st.text("0123456789abcdef", min_size=64, max_size=64)
values: st.SearchStrategy[Value] = st.one_of(
    st.none(),
    words,
    st.integers(-(2**63), 2**63 - 1),
    st.binary(max_size=6),
    st.floats(allow_nan=False),
    st.just("\udc80 not UTF-8"),
)
rows = st.dictionaries(words, values, max_size=3)
places: st.SearchStrategy[Place | None] = (
    st.none()
    | st.builds(Span, words, numbers, numbers, numbers)
    | st.builds(Row, words, words, words)
)
facts = st.dictionaries(
    words, words | numbers | st.booleans() | st.none() | st.lists(numbers) | st.lists(words)
)
findings = st.builds(
    Finding,
    words,
    words,
    st.sampled_from(Severity),
    st.none() | words,
    words,
    places,
    st.lists(words, max_size=2).map(tuple),
    words,
    words,
    facts,
)
parts = st.binary(max_size=9) | st.text(max_size=9).map(str.encode)
swaps = st.builds(Swap, numbers, numbers, parts, parts, st.integers(1, 9))
shifts = st.builds(Shift, numbers, numbers, parts, st.integers(), st.integers(1, 9), numbers)
edits: st.SearchStrategy[Edit] = (
    st.builds(
        SpanEdit,
        words,
        numbers,
        numbers,
        st.lists(parts | st.builds(Copy, numbers, numbers), max_size=3).map(tuple),
        shas,
    )
    | st.builds(RangeEdit, words, numbers, numbers, swaps | shifts, shas)
    | st.builds(RowEdit, words, words, rows, st.none() | rows, st.none() | rows)
    | st.builds(FileEdit, words, st.none(), st.none() | parts, st.none() | shas)
    | st.builds(
        TwinEdit,
        words,
        words,
        st.lists(
            parts | st.builds(Copy, numbers, numbers) | swaps | shifts,
            max_size=3,
        ).map(tuple),
    )
)
sources = st.builds(
    SourceState,
    words,
    numbers,
    st.none() | shas,
    words,
    st.none() | numbers,
    st.none() | shas,
)
steps = st.builds(
    Step,
    numbers,
    words,
    st.just(("Cut",)),
    st.sampled_from(Safety),
    st.sampled_from(["append", "envelope", "cut", "payload"]),
    st.lists(findings, max_size=2).map(tuple),
    st.lists(edits, max_size=3).map(tuple),
)
maybe = st.none() | numbers
outlooks = st.builds(
    Outlook,
    st.sampled_from(["yes", "no", "unknown"]),
    st.none() | st.booleans(),
    st.lists(words, max_size=2).map(tuple),
    numbers,
    numbers,
)
sessions = st.builds(
    SessionPlan,
    words,
    words,
    st.none() | words,
    outlooks,
    outlooks,
    st.lists(words, max_size=2).map(tuple),
)
units = st.builds(
    UnitPlan,
    words,
    words,
    st.lists(words, max_size=2).map(tuple),
    st.none() | words,
    st.lists(sources, max_size=2).map(tuple),
    st.lists(steps, max_size=2).map(tuple),
    st.lists(st.builds(Skip, findings, words, maybe, st.none() | words), max_size=1).map(tuple),
    st.lists(words, max_size=2).map(tuple),
    st.lists(st.builds(Prefix, words, maybe, maybe, st.none() | words, maybe), max_size=1).map(
        tuple
    ),
    st.none(),
    st.lists(sessions, max_size=2).map(tuple),
    st.none() | st.builds(Fork, words, st.lists(words, min_size=1, max_size=2).map(tuple), words),
)
plans = st.builds(
    Plan,
    words,
    st.sampled_from(Policy),
    st.sampled_from([None, "live", "dead"]),
    st.lists(units, max_size=2).map(tuple),
    st.lists(st.tuples(words, words), max_size=1).map(tuple),
    st.none() | words,
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # large values
@given(plans)
def test_a_plan_reads_back_as_it_was(plan: Plan) -> None:
    data = plan_json.dump(plan)
    assert plan_json.load(data) == plan
    assert plan_json.dump(plan_json.load(data)) == data
    assert data.endswith(b"}\n")
    assert data.decode().replace("\n", "").isprintable()


def one(*edits: Edit) -> Plan:
    source = SourceState("a", 3, "0" * 64, "a", 4, "1" * 64)
    step = Step(1, "cut", ("Cut",), Safety.SAFE, "cut", (), edits)
    unit = UnitPlan("a", "codex", ("a",), None, (source,), (step,), (), (), ())
    return Plan("9.9", Policy.ANSWER, None, (unit,), ())


def edit_json(data: bytes) -> Any:
    return json.loads(data)["units"][0]["steps"][0]["edits"][0]


def test_bytes_that_go_are_shown_when_short_and_allowed() -> None:
    plan = one(SpanEdit("a", 0, 3, (b"x",)))
    shown = edit_json(plan_json.dump(plan, lambda edit: "é".encode() + b"\xff"))
    assert shown["before"] == {"base64": "w6n/"}
    assert "before" not in edit_json(plan_json.dump(plan, lambda edit: b"x" * 4097))
    hidden = edit_json(plan_json.dump(plan, lambda edit: b"abc", no_content=True))
    assert "before" not in hidden
    assert len(hidden["before_sha256"]) == 64
    assert plan_json.load(plan_json.dump(plan, lambda edit: b"abc")).units[0].steps[0].edits


def test_control_characters_reach_no_terminal() -> None:
    data = plan_json.dump(one(SpanEdit("a", 0, 3, ("\x1b[31m\u202e\x9b中".encode(),))))
    assert b"\\u001b[31m\\u202e\\u009b\xe4\xb8\xad" in data


def broken(change: Callable[[Any], object]) -> bytes:
    document = json.loads(plan_json.dump(one(SpanEdit("a", 0, 3, (b"x",)))))
    change(document)
    return json.dumps(document).encode()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not a plan"),
        (b"\xff\xfe", "not a plan"),
        (b"[1]", "names no schema"),
        (b"[" * 100_000, "nested too deep"),
        (b'{"schema": ' + b"9" * 6000 + b"}", "not a plan"),
        (b'{"schema": NaN}', "NaN is not JSON"),
        (b'{"schema": 1, "schema": 2}', "a key stands twice"),
        (broken(lambda d: d.update(schema="suture.plan/2")), "made by suture 9.9 .* plan again"),
        (broken(lambda d: d.pop("units")), r"at \$: 'units' is a required property"),
        (broken(lambda d: d.update(extra=1)), r"at \$: Additional properties"),
        (
            broken(lambda d: d["units"][0]["steps"][0]["edits"][0].update(offset=-1)),
            r"at \$\.units\[0\]\.steps\[0\]\.edits\[0\]\.offset: -1 is less",
        ),
        (
            broken(lambda d: d["units"][0]["steps"][0]["edits"][0].update(kind="magic")),
            r"edits\[0\]\.kind: 'magic' is not one of",
        ),
        (
            broken(lambda d: d["units"][0]["steps"][0]["edits"][0].update(after=[{"base64": "x"}])),
            "a value that cannot be read",
        ),
        (
            broken(lambda d: d["units"][0]["sources"][0].update(sha256="zz")),
            r"sources\[0\]\.sha256: 'zz' does not match",
        ),
    ],
)
def test_what_is_not_a_plan_is_refused_with_the_place(data: bytes, message: str) -> None:
    with pytest.raises(BadPlan, match=message) as caught:
        plan_json.load(data)
    assert caught.value.exit_code == 2
    assert "\n" not in str(caught.value)
