"""The hashes of messages as the mapping's recipe makes them."""

import base64
import hashlib
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

from suture.model.edit import Value
from suture.stores.mapped.mapping import Hashes
from suture.stores.mapped.rows import TOGETHER, Record, Rows, Values, are

Texts = Sequence[str | None]

MISSING = ""  # a hash that should be there


class Hashed(NamedTuple):
    """What is stored in each row, and what the recipe gives; None: nothing is said."""

    hash: Texts
    computed: Texts
    chain_hash: Texts
    chain_computed: Texts
    prev: Texts


def hashed(recipe: Hashes | None, rows: Rows) -> Hashed:
    """The rows are in their order: what a NULL means depends on those before."""
    nothing: Texts = [None] * len(rows)
    content = recipe.content if recipe is not None else None
    chain = recipe.chain if recipe is not None else None
    own = linked = nothing, nothing
    if recipe is not None and content is not None:
        own = _pairs(recipe, rows, content.column, content.of)
    if recipe is not None and chain is not None:
        linked = _pairs(recipe, rows, chain.column, chain.of)
    previous = rows.column(chain.previous) if chain is not None else nothing
    prev = [None if value in (None, "") else str(value) for value in previous]
    return Hashed(*own, *linked, prev)


def _pairs(recipe: Hashes, rows: Rows, column: str, of: Sequence[str]) -> tuple[Texts, Texts]:
    """Stored and computed."""
    stored = rows.column(column)
    if None not in stored:
        return _texts(stored), digests(recipe, rows, of)
    found: list[str | None] = []
    begun = False
    for value in stored:
        begun = begun or value is not None
        missing = recipe.null == "missing" or (recipe.null == "before-chaining" and begun)
        absent = MISSING if missing else None
        found.append(absent if value is None else str(value))
    told = [n for n, value in enumerate(found) if value is not None]
    computed: list[str | None] = [None] * len(rows)
    some = Rows(rows.names, [rows.values[n] for n in told])
    for n, made in zip(told, digests(recipe, some, of), strict=True):
        computed[n] = made
    return found, computed


def digests(recipe: Hashes, rows: Rows, of: Sequence[str]) -> list[str]:
    algorithm, prefix = _algorithm(recipe.algorithm), recipe.prefix
    found: list[str] = []
    for _, some in rows.parts(TOGETHER):
        texts = _joined([_column(some, name) for name in of], recipe.separator)
        if recipe.encoding == "base64":
            made = [base64.b64encode(algorithm(text).digest()).decode() for text in texts]
        else:
            made = [algorithm(text).hexdigest() for text in texts]
        found += [prefix + text for text in made] if prefix else made
    return found


def _column(rows: Rows, name: str) -> Values:
    values = rows.column(name) if name in rows.names else [None] * len(rows)
    return ["" if value is None else value for value in values] if None in values else values


def _joined(columns: Sequence[Values], separator: str) -> list[bytes]:
    """What is hashed of each row."""
    if all(are(values, str, int) for values in columns):
        texts = _texts(columns[0])
        if len(columns) > 1:
            joined = separator.replace("%", "%%").join(["%s"] * len(columns))
            texts = list(map(joined.__mod__, zip(*columns, strict=True)))
        try:
            return [text.encode() for text in texts]
        except UnicodeEncodeError:
            return [text.encode("utf-8", "surrogateescape") for text in texts]
    between = separator.encode()
    return [between.join(map(_bytes, values)) for values in zip(*columns, strict=True)]


def _texts(values: Values) -> list[str]:
    return list(values) if are(values, str) else list(map(str, values))  # type: ignore[arg-type]


def _bytes(value: Value) -> bytes:
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape")
    return value if isinstance(value, bytes) else str(value).encode()


@cache
def _algorithm(name: str) -> Callable[[bytes], Any]:
    """Asked for with an option, OpenSSL looks the hash up by its name each time."""
    made: Callable[..., Any] = getattr(hashlib, name)
    try:
        made(b"")
    except ValueError:  # of no use for security, says a policy
        return partial(made, usedforsecurity=False)
    return made


def filled(recipe: Hashes | None, row: dict[str, Value], before: Record | None) -> None:
    """Give a new row its hashes, if the row before has them."""
    if recipe is None or before is None:
        return
    if recipe.content is not None and before.get(recipe.content.column) is not None:
        row[recipe.content.column] = _digest(recipe, row, recipe.content.of)
    if recipe.chain is not None and before.get(recipe.chain.column) is not None:
        row[recipe.chain.previous] = before[recipe.chain.column]
        row[recipe.chain.column] = _digest(recipe, row, recipe.chain.of)


def _digest(recipe: Hashes, row: Record, of: Sequence[str]) -> str:
    (made,) = digests(recipe, Rows(tuple(row), (tuple(row.values()),)), of)
    return made
