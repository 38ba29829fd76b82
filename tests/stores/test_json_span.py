"""Places of values in JSON text agree with what json.loads gives."""

import json
from copy import deepcopy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from suture.stores._json_span import Path, member_span, span

_scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
_documents = st.recursive(
    _scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=25,
)
_styles = st.sampled_from(
    [
        {},
        {"separators": (",", ":")},
        {"indent": 2},
        {"ensure_ascii": False},
        {"ensure_ascii": False, "indent": "\t", "separators": (" , ", " : ")},
    ]
)


def _paths(value: Any, path: Path = ()) -> list[Path]:
    found = [path]
    if isinstance(value, dict):
        for key, inner in value.items():
            found += _paths(inner, (*path, key))
    if isinstance(value, list):
        for index, inner in enumerate(value):
            found += _paths(inner, (*path, index))
    return found


def _at(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value


def _encoded(value: Any, style: dict[str, Any]) -> bytes:
    return json.dumps(value, **style).encode("utf-8", "surrogatepass")


def _loads(raw: bytes) -> Any:
    return json.loads(raw.decode("utf-8", "surrogatepass"))


@given(_documents, _styles, st.data())
def test_a_span_holds_the_value_at_its_path(
    value: Any, style: dict[str, Any], data: st.DataObject
) -> None:
    raw = b" " + _encoded(value, style) + b"\n"
    path = data.draw(st.sampled_from(_paths(value)))
    found = span(raw, path)
    assert found is not None
    assert _loads(raw[slice(*found)]) == _at(value, path)


@given(_documents, _styles, st.data())
def test_without_a_member_the_text_is_the_document_without_it(
    value: Any, style: dict[str, Any], data: st.DataObject
) -> None:
    raw = _encoded(value, style)
    path = data.draw(st.sampled_from(_paths(value)))
    found = member_span(raw, path)
    if not path:
        assert found is None
        return
    assert found is not None
    start, end = found
    rest = deepcopy(value)
    del _at(rest, path[:-1])[path[-1]]
    assert _loads(raw[:start] + raw[end:]) == rest


@given(_documents, _styles)
def test_a_path_that_leads_nowhere_has_no_span(value: Any, style: dict[str, Any]) -> None:
    raw = _encoded(value, style)
    for path in _paths(value):
        inner = _at(value, path)
        if not isinstance(inner, dict):
            assert span(raw, (*path, "no such key")) is None
        if not isinstance(inner, list):
            assert span(raw, (*path, 0)) is None
        else:
            assert span(raw, (*path, len(inner))) is None


def test_the_last_of_two_equal_keys_counts() -> None:
    raw = rb'{"a":1, "\u0061" : {"b":[2]}, "c":"a"}'
    assert span(raw, ("a", "b", 0)) == (raw.index(b"2"), raw.index(b"2") + 1)
    found = member_span(raw, ("a",))
    assert found is not None
    assert json.loads(raw[: found[0]] + raw[found[1] :]) == {"a": 1, "c": "a"}


def test_text_that_is_cut_off_has_no_span() -> None:
    whole = b'{"a":{"b":"x\\"}"},"c":[1,2]}'
    for stop in range(len(whole)):
        assert span(whole[:stop], ()) is None
    assert span(whole, ("a", "b")) is not None


def test_deep_and_long_text_is_stepped_over() -> None:
    deep = b"[" * 100_000 + b"]" * 100_000
    raw = b'{"a":' + deep + b',"b":"' + b'\\"' * 500_000 + b'","c":7}'
    assert span(raw, ("c",)) == (len(raw) - 2, len(raw) - 1)
