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
    for row in rows:
        content: tuple[str | None, str | None] = None, None
        chain = content
        if recipe.content is not None:
            content = _pair(recipe, row, recipe.content.column, recipe.content.of, begun, "content")
        if recipe.chain is not None:
            chain = _pair(recipe, row, recipe.chain.column, recipe.chain.of, begun, "chain")
        prev = row[recipe.chain.previous] if recipe.chain is not None else None
        yield Hashed(*content, *chain, str(prev) if prev not in (None, "") else None)


def _pair(
    recipe: Hashes,
    row: Record,
    column: str,
    of: Sequence[str],
    begun: dict[str, bool],
    which: str,
) -> tuple[str | None, str | None]:
    stored = row[column]
    if stored is None:
        late = recipe.null == "before-chaining" and begun[which]
        if late or recipe.null == "missing":
            return MISSING, digest(recipe, row, of)
        return None, None
    begun[which] = True
    return str(stored), digest(recipe, row, of)


@cache
def _algorithm(name: str) -> Callable[[bytes], Any]:
    """Asked for with an option, OpenSSL looks the hash up by its name each time."""
    made: Callable[..., Any] = getattr(hashlib, name)
    try:
        made(b"")
    except ValueError:  # of no use for security, says a policy
        return partial(made, usedforsecurity=False)
    return made


def digest(recipe: Hashes, row: Record, of: Sequence[str]) -> str:
    if len(of) == 1:
        joined = _bytes(row.get(of[0]))
    else:
        joined = recipe.separator.encode().join([_bytes(row.get(column)) for column in of])
    made = _algorithm(recipe.algorithm)(joined)
    if recipe.encoding == "base64":
        return recipe.prefix + base64.b64encode(made.digest()).decode()
    return f"{recipe.prefix}{made.hexdigest()}"


def _bytes(value: Value) -> bytes:
    if value is None:
        return b""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogateescape")


def filled(recipe: Hashes | None, row: dict[str, Value], before: Record | None) -> None:
    """Give a new row its hashes, if the row before has them."""
    if recipe is None or before is None:
        return
    if recipe.content is not None and before.get(recipe.content.column) is not None:
        row[recipe.content.column] = digest(recipe, row, recipe.content.of)
    if recipe.chain is not None and before.get(recipe.chain.column) is not None:
        row[recipe.chain.previous] = before[recipe.chain.column]
        row[recipe.chain.column] = digest(recipe, row, recipe.chain.of)
