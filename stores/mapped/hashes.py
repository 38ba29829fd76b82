"""The hashes of a message as the mapping's recipe makes them."""

import base64
import hashlib
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from itertools import repeat
from typing import Any, NamedTuple

from suture.model.edit import Value
from suture.stores.mapped.mapping import Hashes
from suture.stores.mapped.stored import Record

Digest = Callable[[Record], str]

MISSING = ""  # a hash that should be there


class Hashed(NamedTuple):
    """What is stored, and what the recipe gives; None: nothing is said."""

    hash: str | None = None
    computed: str | None = None
    chain_hash: str | None = None
    chain_computed: str | None = None
    prev: str | None = None


def hashed(recipe: Hashes | None, rows: Sequence[Record]) -> Iterator[Hashed]:
    """One for each row, in their order: what a NULL means depends on those before."""
    begun = {"content": False, "chain": False}
    if recipe is None:
        yield from repeat(Hashed(), len(rows))
        return
    content = digests(recipe, recipe.content.of) if recipe.content is not None else None
    chain = digests(recipe, recipe.chain.of) if recipe.chain is not None else None
    for row in rows:
        own: tuple[str | None, str | None] = None, None
        linked, prev = own, None
        if recipe.content is not None and content is not None:
            own = _pair(recipe, row, recipe.content.column, content, begun, "content")
        if recipe.chain is not None and chain is not None:
            linked = _pair(recipe, row, recipe.chain.column, chain, begun, "chain")
            prev = row[recipe.chain.previous]
        yield Hashed(*own, *linked, str(prev) if prev not in (None, "") else None)


def _pair(
    recipe: Hashes,
    row: Record,
    column: str,
    made: Digest,
    begun: dict[str, bool],
    which: str,
) -> tuple[str | None, str | None]:
    stored = row[column]
    if stored is None:
        late = recipe.null == "before-chaining" and begun[which]
        if late or recipe.null == "missing":
            return MISSING, made(row)
        return None, None
    begun[which] = True
    return str(stored), made(row)


@cache
def _algorithm(name: str) -> Callable[[bytes], Any]:
    """Asked for with an option, OpenSSL looks the hash up by its name each time."""
    made: Callable[..., Any] = getattr(hashlib, name)
    try:
        made(b"")
    except ValueError:  # of no use for security, says a policy
        return partial(made, usedforsecurity=False)
    return made


def digests(recipe: Hashes, of: Sequence[str]) -> Digest:
    """What computes one hash of a row."""
    algorithm, separator = _algorithm(recipe.algorithm), recipe.separator.encode()
    in_base64, prefix = recipe.encoding == "base64", recipe.prefix

    def digest(row: Record) -> str:
        made = algorithm(separator.join([_bytes(row.get(column)) for column in of]))
        if in_base64:
            return prefix + base64.b64encode(made.digest()).decode()
        return f"{prefix}{made.hexdigest()}"

    return digest


def _bytes(value: Value) -> bytes:
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape")
    if value is None:
        return b""
    return value if isinstance(value, bytes) else str(value).encode()


def filled(recipe: Hashes | None, row: dict[str, Value], before: Record | None) -> None:
    """Give a new row its hashes, if the row before has them."""
    if recipe is None or before is None:
        return
    if recipe.content is not None and before.get(recipe.content.column) is not None:
        row[recipe.content.column] = digests(recipe, recipe.content.of)(row)
    if recipe.chain is not None and before.get(recipe.chain.column) is not None:
        row[recipe.chain.previous] = before[recipe.chain.column]
        row[recipe.chain.column] = digests(recipe, recipe.chain.of)(row)
