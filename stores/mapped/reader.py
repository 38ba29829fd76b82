"""What the places of a mapping lead to in some rows; each column's JSON is decoded once."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from suture.model.edit import Value
from suture.stores._column_json import NO_JSON, Odd, read_slowly
from suture.stores.mapped.mapping import MappingFile
from suture.stores.mapped.places import firsts, place, walk
from suture.stores.mapped.rows import Rows

decode = msgspec.json.Decoder().decode
# Half surrogates stand for bytes that are not UTF-8, which no JSON holds either.
UNDECODABLE = (msgspec.DecodeError, TypeError, UnicodeError, RecursionError)
_UNREAD = object()

Element = tuple[int, object]  # the number of its row; None: the row itself


class Reader:
    def __init__(self, mapping: MappingFile, rows: Rows) -> None:
        self.mapping, self.rows = mapping, rows
        self._json: dict[str, list[object]] = {}
        self._whole: set[str] = set()
        self._odd: dict[str, dict[int, Odd]] = {}

    def column(self, text: str | None) -> Sequence[object]:
        """The first value in each row."""
        if text is None:
            return [None] * len(self.rows)
        at = place(text)
        if at.path is None:
            return self._stored(at.column or "")
        if at.inner:
            return [None] * len(self.rows)
        return firsts(self.json(self._json_of(at.column)), at.path)

    def of(self, text: str | None, elements: Sequence[Element]) -> Sequence[object]:
        """The first value in each of the elements, or in its row."""
        if text is None:
            return [None] * len(elements)
        at = place(text)
        if at.path is None:
            values = self._stored(at.column or "")
            return [values[n] for n, _ in elements]
        if at.inner:
            return firsts([element for _, element in elements], at.path)
        numbers = [n for n, _ in elements]
        decoded = self.json(self._json_of(at.column), numbers)
        return firsts([decoded[n] for n in numbers], at.path)

    def lists(self, text: str, elements: Sequence[Element]) -> Iterator[Iterable[object]]:
        """All values in each of the elements, or in its row."""
        at = place(text)
        if at.path is None:
            values = self._stored(at.column or "")
            yield from ((values[n],) for n, _ in elements)
        elif at.inner:
            yield from (walk(element, at.path) for _, element in elements)
        else:
            decoded = self.json(self._json_of(at.column), [n for n, _ in elements])
            yield from (walk(decoded[n], at.path) for n, _ in elements)

    def json(self, column: str, wanted: Sequence[int] | None = None) -> Sequence[object]:
        """The decoded column, at least in the rows that are wanted; NO_JSON for what is none."""
        if column not in self._json:
            self._json[column] = [_UNREAD] * len(self.rows)
        known, values = self._json[column], self._stored(column)
        if column in self._whole:
            return known
        odd = self._odd.setdefault(column, {})
        if wanted is None:
            known[:] = _decoded(values, range(len(known)), odd, column)
            self._whole.add(column)
        else:
            missing = [n for n in wanted if known[n] is _UNREAD]
            those = [values[n] for n in missing]
            for n, found in zip(missing, _decoded(those, missing, odd, column), strict=True):
                known[n] = found
        return known

    def odd(self, column: str) -> Mapping[int, Odd]:
        """By row, what is wrong with the JSON that was decoded."""
        return self._odd.get(column, {})

    def _json_of(self, column: str | None) -> str:
        return column or self.mapping.message.payload

    def _stored(self, column: str) -> Sequence[Value]:
        known = column in self.rows.names
        return self.rows.column(column) if known else [None] * len(self.rows)


def _decoded(
    values: Sequence[Value], rows: Sequence[int], odd: dict[int, Odd], column: str
) -> list[object]:
    try:
        return list(map(decode, values))  # type: ignore[arg-type]  # raises TypeError
    except UNDECODABLE:
        return [_one(value, n, odd, column) for n, value in zip(rows, values, strict=True)]


def _one(value: Value, n: int, odd: dict[int, Odd], column: str) -> object:
    try:
        return decode(value)  # type: ignore[arg-type]
    except UNDECODABLE:
        if not isinstance(value, str | bytes):
            return NO_JSON
    found, odd[n] = read_slowly(value, column)
    return found
