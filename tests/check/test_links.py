"""The links of a session are the same in whatever order its records came in."""

import pytest

from suture.db import Database
from suture.validators._chain import Links
from suture.validators._links import link, links

# session, n, id, parent, on the live chain. In session 2 `c` and `d` run in a circle; `e` stands
# twice, and `f` hangs on the later one.
RECORDS = [
    (1, 1, "a", None, True),
    (1, 2, "b", "a", True),
    (1, 3, "c", "a", False),
    (1, 4, "d", "c", False),
    (2, 1, "a", None, False),
    (2, 2, "b", "gone", False),
    (2, 3, "c", "d", False),
    (2, 4, "d", "c", False),
    (2, 5, "e", "a", False),
    (2, 6, "f", "e", False),
    (2, 7, "e", "d", False),
]


def loaded(records: list[tuple[int, int, str, str | None, bool]]) -> Database:
    db = Database()
    for key in (1, 2):
        db.script(f"insert into session (session, unit, id, path) values ({key}, 0, 's', 'p')")
    for session, n, name, parent, live in records:
        up = "null" if parent is None else f"'{parent}'"
        db.script(
            "insert into record (session, n, id, parent, on_chain, chained, kind, lane) "
            f"values ({session}, {n}, '{name}', {up}, {live}, true, 'prompt', 'main')"
        )
    return db


def ups(found: Links) -> dict[int, int | None]:
    return {n: found.up(n) for n in found.records}


@pytest.mark.parametrize(
    "records",
    [RECORDS, RECORDS[::-1], RECORDS[4:] + RECORDS[:4], RECORDS[::2] + RECORDS[1::2]],
    ids=["in order", "backwards", "a session later", "mixed"],
)
def test_the_order_of_rows_does_not_matter(
    records: list[tuple[int, int, str, str | None, bool]],
) -> None:
    db = loaded(records)
    link(db, [2, 1])
    assert ups(links(db, 1)) == {1: None, 2: 1, 3: 1, 4: 3}
    assert ups(links(db, 2)) == {1: None, 2: None, 3: 4, 4: 3, 5: 1, 6: 7, 7: 4}
    assert [links(db, 1).records[n].id for n in (1, 2, 3, 4)] == ["a", "b", "c", "d"]


def test_circles_and_what_hangs_on_them() -> None:
    found = links(loaded(RECORDS), 2)
    assert list(found.circles()) == [[3, 4]]
    assert [found.root(n) for n in found.records] == [1, 2, None, None, 1, None, None]
    assert not any(found.hangs_on_live(n) for n in found.records)


def test_what_hangs_on_the_live_chain() -> None:
    found = links(loaded(RECORDS), 1)
    assert [found.is_live(n) for n in found.records] == [True, True, False, False]
    assert [found.hangs_on_live(n) for n in (4, 3, 2, 1)] == [True, True, True, False]
    assert [found.is_live(n) for n in found.records] == [True, True, False, False]
