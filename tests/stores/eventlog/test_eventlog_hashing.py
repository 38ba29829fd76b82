"""The quick way to the canonical form gives what the slow one gives."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from suture.stores.eventlog.hashing import NoCanonicalForm, canonical, canonical_of, chain_hash

_NUMBERS = st.integers(-(2**60), 2**60) | st.floats(allow_nan=False, allow_infinity=False)
_VALUES = st.recursive(
    st.none() | st.booleans() | _NUMBERS | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


def form(value: Any) -> bytes | None:
    try:
        return canonical_of(value)
    except NoCanonicalForm:
        return None


@settings(deadline=None)
@given(_VALUES, st.booleans())
def test_stored_text_and_its_value_have_one_form(value: Any, escaped: bool) -> None:
    stored = json.dumps(value, ensure_ascii=escaped).encode()
    try:
        found: bytes | None = canonical(stored)
    except NoCanonicalForm:
        found = None
    assert found == form(value)
    assert found is None or canonical(found) == found


def test_the_form_is_that_of_the_standard() -> None:
    # RFC 8785, 3.2.2 and 3.2.3
    value = {
        "numbers": [333333333.33333329, 1e30, 4.50, 2e-3, 1e-27],
        "string": '\u20ac$\u000f\nA\'B"\\\\"/',
        "literals": [None, True, False],
        "\u20ac": 1,
        "\r": 2,
        "\ufb33": 3,
        "1": 4,
        "\U0001f600": 5,
        "\u0080": 6,
        "\u00f6": 7,
    }
    assert canonical(json.dumps(value).encode()).decode() == (
        '{"\\r":2,"1":4,"literals":[null,true,false],'
        '"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
        '"string":"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/",'
        '"\u0080":6,"\u00f6":7,"\u20ac":1,"\U0001f600":5,"\ufb33":3}'
    )


def test_the_chain_is_made_of_six_lines() -> None:
    # printf '\nid\n0\nts\ntype\nsha256:00' | sha256sum
    assert chain_hash(None, "id", 0, "ts", "type", "sha256:00") == (
        "sha256:3f91d3a421da43b0bda3db735fab97642e501162e9070e2e9fcbf058df245afc"
    )
