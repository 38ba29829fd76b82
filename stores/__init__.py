"""Session stores. Each folder here is one format and exports STORE."""

import pkgutil
from functools import cache
from importlib import import_module

from suture.stores._discover import HEAD, Discovery, claimant, discover
from suture.stores._disk import DiskFiles
from suture.stores._late import late
from suture.stores._sink import Sink
from suture.stores._store import Forked, Head, Store, Translated, Twin
from suture.stores._support import Ability, abilities, in_columns, in_markdown
from suture.stores._walk import Unreadable
from suture.stores._where import sessions_where

__all__ = [
    "Ability",
    "Discovery",
    "DiskFiles",
    "Forked",
    "Head",
    "Sink",
    "Store",
    "Translated",
    "Twin",
    "Unreadable",
    "abilities",
    "all_stores",
    "by_mapping",
    "discover",
    "in_columns",
    "in_markdown",
    "known_by",
    "sessions_where",
    "store_named",
    "stores_with",
]


def known_by(path: str, data: memoryview) -> str | None:
    """The store that reads a file of this content."""
    return claimant(Head(path, bytes(data[:HEAD])), all_stores())


def by_mapping(text: str, name: str = "the mapping") -> Store:
    """The store for one mapping file, whose path `name` is. Raises BadMapping."""
    made: Store = late("suture.stores.mapped.read:by_mapping")(text, name)
    return made


@cache
def all_stores() -> tuple[Store, ...]:
    names = (m.name for m in pkgutil.iter_modules(__path__) if not m.name.startswith("_"))
    return tuple(import_module(f"{__name__}.{name}").STORE for name in sorted(names))


def store_named(name: str) -> Store:
    return next(store for store in all_stores() if store.name == name)


def stores_with(mapping: Store) -> tuple[Store, ...]:
    """All stores, databases read by a mapping."""
    return (mapping, *(store for store in all_stores() if store.name != mapping.name))
