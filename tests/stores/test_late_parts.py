"""A store names its parts by their place: each of them is there."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from suture import stores

_FOLDER = Path(stores.__file__).parent
_PLACE = re.compile(r"(?:late|value)\(\"(suture\.stores\.[a-z_.]+):(\w+)\"\)")
_PLACES = [
    found.groups()
    for path in _FOLDER.glob("*/__init__.py")
    for found in _PLACE.finditer(path.read_text())
]


def test_every_store_has_places() -> None:
    assert len(_PLACES) >= 5 * len(stores.all_stores())


@pytest.mark.parametrize(("module", "name"), _PLACES)
def test_a_part_is_where_the_store_says(module: str, name: str) -> None:
    assert hasattr(import_module(module), name)
