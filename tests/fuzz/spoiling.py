"""What Hypothesis draws: stores, and how they are spoiled."""

from collections.abc import Sequence

from fuzz_trial import Seed, Spoiled, seeds
from hypothesis import strategies as st
from spoiled_lines import BYTES
from spoiled_rows import PAGES, ROWS

BATCH = 8
_NUMBERS = st.integers(0, 2**32 - 1)
_LINES = st.tuples(st.sampled_from(tuple(BYTES)), _NUMBERS)
_ROWS = st.tuples(st.sampled_from((*ROWS, *PAGES)), _NUMBERS)
_ALL = seeds()
_MAPPED = [seed for seed in _ALL if seed.mapping is not None]
_OTHERS = [seed for seed in _ALL if seed.mapping is None]


@st.composite
def _one(draw: st.DrawFn, among: Sequence[Seed]) -> Spoiled:
    seed = draw(st.sampled_from(among))
    kinds = _ROWS | _ROWS | _ROWS | _LINES if seed.has_database else _LINES
    return Spoiled(seed, tuple(draw(st.lists(kinds, min_size=1, max_size=3))))


def single() -> st.SearchStrategy[Spoiled]:
    return _one(_ALL)


def batches() -> st.SearchStrategy[list[Spoiled]]:
    """Stores that are looked at together; where a mapping is used, it is one for all of them."""
    several = [st.lists(_one(some), min_size=1, max_size=BATCH) for some in (_OTHERS, _MAPPED)]
    return several[0] | several[0] | several[0] | several[1]
