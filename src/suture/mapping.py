"""Mapping files: read, held against their schema, with the line of each mistake."""

import difflib
import json
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from suture import schemas
from suture.model.errors import BadMapping
from suture.stores.mapped.lines import line_of
from suture.stores.mapped.mapping import MappingFile, parsed, places
from suture.stores.mapped.places import BadPlace, place

_MOST = 8  # mistakes told at once

Mistake = tuple[Sequence[object], str]  # where, and what


def read(path: str) -> str:
    """The text of a mapping file that says something. Raises BadMapping."""
    try:
        text = Path(path).read_text("utf-8")
    except OSError as error:
        raise BadMapping(f"{path}: {(error.strerror or str(error)).lower()}") from error
    except UnicodeDecodeError as error:
        raise BadMapping(f"{path}: not UTF-8 text") from error
    check(text, path)
    return text


def template() -> str:
    return resources.files("suture.stores.mapped").joinpath("template.toml").read_text("utf-8")


@cache
def check(text: str, name: str) -> None:
    """Raises BadMapping with a line for each mistake."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadMapping(f"{name}: {error}") from error
    mistakes = list(_unfit(document)) or list(_senseless(parsed(text)))
    if mistakes:
        told = sorted({(line_of(text, where) or 1, what) for where, what in mistakes})
        lines = [f"{name}:{line}: {what}" for line, what in told[:_MOST]]
        raise BadMapping("the mapping file is not right\n" + "\n".join(lines))


@cache
def _validator() -> Any:
    import jsonschema  # type: ignore[import-untyped]  # noqa: PLC0415  # it ships no types; only mappings need it

    return jsonschema.Draft202012Validator(json.loads(schemas.text("mapping.schema.json")))


def _unfit(document: object) -> Iterator[Mistake]:
    """What the schema does not allow."""
    for error in _validator().iter_errors(document):
        where = list(error.absolute_path)
        section = ".".join(map(str, where)) or "the file"
        if error.validator == "additionalProperties":
            known = list(error.schema["properties"])
            for key in error.instance.keys() - set(known):
                near = difflib.get_close_matches(key, known, 1)
                hint = f"did you mean {near[0]}?" if near else f"it may have {', '.join(known)}"
                yield [*where, key], f"{section} has no key {key}; {hint}"
        elif error.validator == "required":
            for key in set(error.validator_value) - error.instance.keys():
                what = error.schema["properties"][key].get("description", "")
                yield where, f"{section} lacks {key}: {_lower(what)}"
        elif error.validator == "enum":
            allowed = ", ".join(map(str, error.validator_value))
            yield where, f"{section} is {error.instance!r}; it may be {allowed}"
        else:
            yield where, f"{section}: {error.message[:200]}"


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:].rstrip(".")


def _senseless(mapping: MappingFile) -> Iterator[Mistake]:
    """What the schema allows and nobody can mean."""
    for key, text in places(mapping):
        try:
            inner = place(text).inner
        except BadPlace as error:
            yield key, f"{'.'.join(key)}: {error}"
            continue
        section = getattr(mapping, key[0])
        if inner and (key[-1] == "each" or getattr(section, "each", None) is None):
            yield key, f"{'.'.join(key)}: @ stands for an element of `each`, and there is none"
    yield from _useless(mapping)
    yield from _unwritable(mapping)


def _useless(mapping: MappingFile) -> Iterator[Mistake]:
    session, message, summary = mapping.session, mapping.message, mapping.summary
    if message.kind is None and message.role is None:
        yield ("message",), "message has neither kind nor role, so nothing tells who speaks"
    if session is not None and session.status is not None and not session.states:
        yield ("session", "status"), "session.status without [session.states] says nothing"
    if session is not None and session.head is not None:
        named = {"id": message.id, "ordinal": message.ordinal}
        chain = mapping.hash is not None and mapping.hash.chain is not None
        if not (chain if session.head_names == "hash" else named[session.head_names]):
            wanted = "[hash.chain]" if session.head_names == "hash" else "message.id"
            yield (
                ("session", "head"),
                f"session.head names messages by {wanted}, which is not given",
            )
    if summary is not None and summary.covers is None and None in (summary.first, summary.last):
        yield ("summary",), "summary lacks covers, or from and to: the messages it stands for"


def _unwritable(mapping: MappingFile) -> Iterator[Mistake]:
    """What [write] names and nothing could be done with."""
    write, session, message = mapping.write, mapping.session, mapping.message
    if write is None:
        return
    if write.inactive is not None and message.active is None:
        yield ("write", "inactive"), "write.inactive without message.active has no column to go to"
    for key in ("closed", "interrupted"):
        if getattr(write, key) is not None and (session is None or session.status is None):
            yield ("write", key), f"write.{key} without session.status has no column to go to"
    if write.answer is not None and mapping.result is None:
        yield ("write", "answer"), "[write.answer] without [result] would not be read as an answer"
    ours = {message.session, message.ordinal}
    for part, row in (("answer", write.answer), ("note", write.note)):
        for column in sorted(ours & set(row or ())):
            yield ("write", part, column), f"suture itself fills {column} in"
