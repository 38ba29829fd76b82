"""The calls and the results that message rows hold."""

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from suture.stores.mapped.mapping import CallPlaces, ResultPlaces, meaning, state_of, written
from suture.stores.mapped.reader import UNDECODABLE, Element, Reader, decode
from suture.stores.mapped.stored import is_set, shown

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class Call(NamedTuple):
    id: str
    name: str | None
    state: str | None
    malformed: str | None
    raw: object


class Result(NamedTuple):
    id: str
    failed: bool
    output: str
    raw: object


class Problem(NamedTuple):
    kind: str  # name of the 1xx rule, with underscores
    field: str
    detail: str


class Problems(dict[int, list[Problem]]):
    """By the number of the row."""

    def add(self, n: int, problem: Problem) -> None:
        self.setdefault(n, []).append(problem)


def read_calls(reader: Reader, kinds: Sequence[str], problems: Problems) -> dict[int, list[Call]]:
    """By the number of the row."""
    table, calls = reader.mapping.call, defaultdict[int, list[Call]](list)
    if table is None:
        return calls
    elements = _elements(reader, table, kinds, "call")
    elements, ids = _named(reader, table.id, elements, problems, "a call has no id")
    names, statuses, arguments = (
        reader.of(text, elements) for text in (table.name, table.status, table.arguments)
    )
    for (n, _), call_id, name, status, given, raw in zip(
        elements, ids, names, statuses, arguments, _raw(reader, elements), strict=True
    ):
        malformed = _malformed(table, name, given)
        told = name if isinstance(name, str) else None
        calls[n].append(Call(call_id, told, state_of(table, status), malformed, raw))
    return calls


def read_results(
    reader: Reader, kinds: Sequence[str], problems: Problems
) -> dict[int, list[Result]]:
    """By the number of the row."""
    table, results = reader.mapping.result, defaultdict[int, list[Result]](list)
    if table is None:
        return results
    elements = _elements(reader, table, kinds, "result")
    elements, ids = _named(reader, table.id, elements, problems, "a result names no call")
    outputs, errors = reader.of(table.output, elements), reader.of(table.error, elements)
    for (n, _), call_id, output, error, raw in zip(
        elements, ids, outputs, errors, _raw(reader, elements), strict=True
    ):
        said = shown(raw if output is None else output)
        results[n].append(Result(call_id, _is_error(error), said, raw))
    return results


def _elements(
    reader: Reader, table: CallPlaces | ResultPlaces, kinds: Sequence[str], kind: str
) -> list[Element]:
    """The JSON elements that are calls, or results; one None for a row that is one itself."""
    if table.each is None:
        found: list[Element] = [(n, None) for n, own in enumerate(kinds) if own == kind]
    else:
        rows: list[Element] = [(n, None) for n, own in enumerate(kinds) if own != "summary"]
        several = zip(rows, reader.lists(table.each, rows), strict=True)
        found = [(n, element) for (n, _), elements in several for element in elements]
    for text, values in table.where.items():
        wanted = meaning(values)
        those = zip(found, reader.lists(text, found), strict=True)
        found = [
            one
            for one, told in those
            if any(value is not None and written(value) in wanted for value in told)
        ]
    return found


def _named(
    reader: Reader, text: str, elements: list[Element], problems: Problems, missing: str
) -> tuple[list[Element], Sequence[str]]:
    """Those with an id, and the ids. Of the others it is told."""
    ids = reader.of(text, elements)
    if all(type(value) is str and value for value in ids):
        return elements, ids  # type: ignore[return-value]
    found: list[tuple[Element, str]] = []
    for element, value in zip(elements, ids, strict=True):
        n = element[0]
        if isinstance(value, str | int) and not isinstance(value, bool) and value != "":
            found.append((element, str(value)))
        elif all(problem.kind != "bad_json" for problem in problems.get(n, ())):
            problems.add(n, Problem("bad_shape", text, missing))
    return [element for element, _ in found], [call_id for _, call_id in found]


def _raw(reader: Reader, elements: Sequence[Element]) -> list[object]:
    payload = reader.rows.column(reader.mapping.message.payload)
    return [payload[n] if element is None else element for n, element in elements]


def _malformed(table: CallPlaces, name: object, arguments: object) -> str | None:
    if table.name is not None and (not isinstance(name, str) or not name):
        return "it has no name"
    if isinstance(name, str) and _CONTROL.search(name):
        return "its name holds control bytes"
    if isinstance(arguments, str) and arguments:
        try:
            decode(arguments)
        except UNDECODABLE:
            return "its arguments are not JSON"
    return None


def _is_error(value: object) -> bool:
    return value is True or (isinstance(value, str | int) and is_set(value))
