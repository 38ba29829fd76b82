"""What is wrong with a row: values that no client writes."""

from suture.model.edit import Value
from suture.stores.laxcode.fields import Problem
from suture.stores.laxcode.lines import Line
from suture.stores.laxcode.window import answered, whole

_ROLES = frozenset({"system", "user", "assistant", "tool"})


def problem_of(line: Line, odd_calls: Problem | None) -> Problem | None:
    """Of a message; the first thing that is wrong with it."""
    role = line.role
    if (
        odd_calls is None
        and role in _ROLES
        and whole(line.seq) is not None
        and type(line.content) is str
        and (role != "tool" or line.answers)
    ):
        return None
    if odd_calls is not None:
        return odd_calls
    for name, value, known in (
        ("role", role, role in _ROLES),
        ("seq", line.seq, whole(line.seq) is not None),
    ):
        if not known:
            return Problem("bad_shape", name, f"{name} is {_shown(value)}")
    if not isinstance(line.content, str):
        return _bad_text(line.content)
    if answered(line) is None:
        return Problem("bad_shape", "tool_call_id", "a tool row answers no call")
    return None


def _bad_text(value: Value) -> Problem:
    if isinstance(value, bytes):
        try:
            value.decode()
        except UnicodeDecodeError:
            return Problem("invalid_utf8", "content", "content holds bytes that are not UTF-8")
    return Problem("bad_shape", "content", f"content is {_shown(value)}")


def _shown(value: Value) -> str:
    if isinstance(value, bytes):
        return "a BLOB"
    return "NULL" if value is None else f"{value!r:.40}"
