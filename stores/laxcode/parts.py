"""The contents of messages, for those who want the text."""

from collections.abc import Iterator

from suture.model.edit import Value
from suture.model.rows import PartRow
from suture.stores.laxcode.session import Session
from suture.stores.laxcode.window import answered


def parts(session: Session, key: int) -> Iterator[PartRow]:
    for n, line in enumerate(session.raw):
        part = 0
        for kind, value in (("reasoning", line.reasoning), ("text", line.content)):
            if kind == "text" and line.role == "tool":
                yield _part(key, n, part, "result", value, answered(line))
            elif value:
                yield _part(key, n, part, kind, value)
            else:
                continue
            part += 1
        for number, call in enumerate(session.calls[n], part):
            yield _part(key, n, number, "call", call.raw, call.id)


def _part(
    key: int, n: int, part: int, kind: str, value: Value, call_id: str | None = None
) -> PartRow:
    data = value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")
    return PartRow(key, n, part, kind, call_id, len(data), data.decode("utf-8", "replace"), data)
