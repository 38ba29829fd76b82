"""The context window: what the model is sent, and which messages each row stands for."""

from collections.abc import Sequence
from typing import NamedTuple

from suture.model.answer import MARK
from suture.model.edit import Value
from suture.stores._tables import FAR
from suture.stores.laxcode.fields import Call, Problem, numbers
from suture.stores.laxcode.lines import Line
from suture.stores.laxcode.shape import Shape


class Entry(NamedTuple):
    """A row of a window."""

    line: Line
    version: int | None
    place: int | None
    originals: list[int]
    calls: list[Call]
    answers: str | None
    summary: bool  # it stands for several messages, or says something else than its one
    problems: Sequence[Problem] = ()


def originals(line: Line, shape: Shape) -> tuple[list[int], Problem | None]:
    if shape.linked and line.originals is None:
        return [], None  # the system prompt; a link to nothing is told as such
    return numbers(line.originals, shape.columns["originals"])


def answered(line: Line) -> str | None:
    """The call that a row answers."""
    call_id = line.answers
    return call_id if line.role == "tool" and isinstance(call_id, str) and call_id else None


def said(line: Line) -> str:
    content = line.content
    return content if isinstance(content, str) else ""


def whole(value: Value) -> int | None:
    return value if isinstance(value, int) and -FAR < value < FAR else None


def is_annotated(text: str) -> bool:
    """It says, in place of a call that was taken out of it, what is not known of the call."""
    return text.startswith(MARK) or f"\n{MARK}" in text
