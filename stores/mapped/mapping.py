"""A mapping file: which tables and columns of a home-grown schema are what."""

import tomllib
from collections.abc import Iterator, Mapping
from functools import lru_cache

import msgspec

Scalar = str | int | float | bool
Values = Scalar | list[Scalar]
Vocabulary = Mapping[str, Values]  # our word → the values that mean it


# Structs with a vocabulary are told apart by identity, so that its inverse can be kept.
class SessionTable(msgspec.Struct, frozen=True, eq=False):
    table: str
    id: str
    counter: str | None = None
    version: str | None = None
    status: str | None = None
    states: Vocabulary = {}
    closed: str | None = None
    head: str | None = None
    head_names: str = "hash"
    created: str | None = None
    model: str | None = None
    cwd: str | None = None
    parent: str | None = None


class MessageTable(msgspec.Struct, frozen=True, eq=False):
    table: str
    session: str
    ordinal: str
    payload: str
    kinds: Vocabulary
    first: int = 1
    dense: bool = False
    id: str | None = None
    role: str | None = None
    kind: str | None = None
    json: bool = False
    text: str | None = None
    time: str | None = None
    group: str | None = None
    version: str | None = None
    active: str | None = None
    status: str | None = None
    states: Vocabulary = {}


class CallPlaces(msgspec.Struct, frozen=True, eq=False):
    id: str
    each: str | None = None
    where: Vocabulary = {}
    name: str | None = None
    arguments: str | None = None
    status: str | None = None
    states: Vocabulary = {}


class ResultPlaces(msgspec.Struct, frozen=True):
    id: str
    each: str | None = None
    where: Vocabulary = {}
    output: str | None = None
    error: str | None = None


class SummaryTable(msgspec.Struct, frozen=True, rename={"first": "from", "last": "to"}):
    table: str
    session: str
    message: str
    version: str | None = None
    covers: str | None = None
    first: str | None = None
    last: str | None = None


class ContentHash(msgspec.Struct, frozen=True):
    column: str
    of: list[str]


class ChainHash(msgspec.Struct, frozen=True):
    column: str
    previous: str
    of: list[str]


class Hashes(msgspec.Struct, frozen=True):
    algorithm: str = "sha256"
    encoding: str = "hex"
    prefix: str = ""
    separator: str = "|"
    null: str = "before-chaining"
    content: ContentHash | None = None
    chain: ChainHash | None = None


class Write(msgspec.Struct, frozen=True):
    """What a repair writes; None: this kind of repair is not offered."""

    inactive: Scalar | None = None
    closed: Scalar | None = None
    interrupted: Scalar | None = None
    answer: Mapping[str, Scalar] | None = None
    note: Mapping[str, Scalar] | None = None


class MappingFile(msgspec.Struct, frozen=True):
    message: MessageTable
    name: str | None = None
    session: SessionTable | None = None
    call: CallPlaces | None = None
    result: ResultPlaces | None = None
    summary: SummaryTable | None = None
    hash: Hashes | None = None
    write: Write | None = None


@lru_cache(maxsize=8)
def parsed(text: str) -> MappingFile:
    """The text was held against schemas/mapping.schema.json before."""
    return msgspec.convert(tomllib.loads(text), MappingFile)


def heads(tables: Mapping[str, frozenset[str]], mapping: str | None) -> dict[str, tuple[str, ...]]:
    table = parsed(mapping or "").session
    return {} if table is None else {table.table: (table.id,)}


def state_of(table: SessionTable | MessageTable | CallPlaces, value: object) -> str | None:
    """Our word for a stored status."""
    return None if value is None else _inverse(table, "states").get(written(value))


def kind_of(table: MessageTable, value: object) -> str | None:
    if value is None:
        return None
    return _inverse(table, "kinds").get(value if isinstance(value, str) else written(value))


@lru_cache(maxsize=32)
def _inverse(table: SessionTable | MessageTable | CallPlaces, key: str) -> dict[str, str]:
    """Stored value → our word; the first word that lists it holds."""
    vocabulary: Vocabulary = getattr(table, key)
    pairs = [(written(v), word) for word, values in vocabulary.items() for v in listed(values)]
    return dict(reversed(pairs))


def meaning(values: Values) -> frozenset[str]:
    """As `written` gives them."""
    return frozenset(map(written, listed(values)))


def listed(values: Values) -> list[Scalar]:
    return values if isinstance(values, list) else [values]


def written(value: object) -> str:
    """Columns without a type may hold `1` or `'1'`: what is written alike is alike."""
    if isinstance(value, str):
        return value
    return str(int(value)) if isinstance(value, bool) else str(value)


def places(mapping: MappingFile) -> Iterator[tuple[tuple[str, ...], str]]:
    """The keys that hold a place, and the place."""
    message = mapping.message
    for key in ("role", "kind", "text", "group", "status"):
        if (text := getattr(message, key)) is not None:
            yield ("message", key), text
    for name, table in (("call", mapping.call), ("result", mapping.result)):
        for key in ("each", "id", "name", "arguments", "status", "output", "error"):
            if (text := getattr(table, key, None)) is not None:
                yield (name, key), text
        for text in table.where if table else ():
            yield (name, "where", text), text
