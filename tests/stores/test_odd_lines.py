"""One odd line makes no other line of its block dear: those around it stay in one piece."""

import json

import pytest

from suture.stores._jsonl import Stretch, is_healthy, stretches

PLAIN = [b'{"n":%d}' % n for n in range(40)]
ODD = {
    "not JSON": b'{"n":',
    "two records": b'{"n":1}{"n":2}',
    "blank": b"  ",
    "not UTF-8": b'{"n":"\xff"}',
    "deep": b'{"n":' + b"[" * 600 + b"]" * 600 + b"}",
    "CR LF": b'{"n":1}\r',
}


def decode(raw: bytes) -> object:
    """As strict as the decoders of the stores, which do not look at every byte either."""
    return json.loads(raw.decode("utf-8", "replace"))


def told(found: Stretch[object]) -> tuple[int, int]:
    """First line and how many records."""
    if is_healthy(found):
        return found.line, len(found.values)
    assert isinstance(found, tuple)
    return found[0].line, 1


@pytest.mark.parametrize("kind", ODD)
def test_plain_lines_around_an_odd_one_stay_together(kind: str) -> None:
    """Two stretches, one before and one behind it, with the place and the text of each."""
    data = b"\n".join([*PLAIN[:20], ODD[kind], *PLAIN[20:], b""])
    found = list(stretches(0, "a.jsonl", memoryview(data), decode, live=False))
    plain = [one for one in found if is_healthy(one)]
    assert [told(one) for one in plain] == [(1, 20), (22, 20)]
    for one in plain:
        assert data[one.offset :].startswith(one.text)
        assert one.text == b"".join(one.raws)
        assert one.lengths == [len(raw) - 1 for raw in one.raws]


def test_few_lines_between_odd_ones_come_one_by_one() -> None:
    """A stretch of its own costs more than they do."""
    data = b"\n".join([b"{", PLAIN[0], b"{", PLAIN[1], b""])
    found = list(stretches(0, "a.jsonl", memoryview(data), decode, live=False))
    assert [told(one) for one in found] == [(1, 1), (2, 1), (3, 1), (4, 1)]


def test_an_odd_line_is_read_once_where_a_record_goes_over_several() -> None:
    """What the record took in of the block is not read again, and what follows is."""
    broken = [b'{"n":"a', b'b"}']
    data = b"\n".join([*PLAIN[:10], *broken, *PLAIN[10:30], b""])
    found = list(stretches(0, "a.jsonl", memoryview(data), decode, live=False))
    assert [told(one) for one in found] == [(1, 10), (11, 1), (13, 20)]
