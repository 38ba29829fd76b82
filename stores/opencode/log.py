"""The event log folded up: what each row should be, and whether it is."""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct, field

from suture.stores.opencode.stored import MESSAGE, PART, SESSION, Columns, Event, Item, Stored
from suture.stores.opencode.values import agrees, at, milliseconds, string

_OWNED = ("id", "sessionID", "messageID")  # stand in columns, not in `data`
# what the row of a session holds of its last event, by column
_HEAD = {
    "title": "title",
    "directory": "directory",
    "version": "version",
    "agent": "agent",
    "parent_id": "parentID",
    "project_id": "projectID",
}


class Log(Struct):
    """The last event of every id. `complete`: it begins with the session's creation."""

    complete: bool = False
    session: dict[str, Any] | None = None
    messages: dict[str, dict[str, Any]] = field(default_factory=dict)
    parts: dict[str, dict[str, Any]] = field(default_factory=dict)
    times: dict[str, int] = field(default_factory=dict)  # of each part's first event, in ms

    def wanted(self, item: Item) -> dict[str, Any] | None:
        """The `data` that the row should have, if the log knows it."""
        known = {MESSAGE: self.messages, PART: self.parts}.get(item.table, {})
        found = known.get(item.id)
        return None if found is None else body_of(found)


class Difference(Struct, frozen=True):
    table: str
    id: str
    what: str  # absent | moved | unreadable | differs
    detail: str
    ahead: bool = False  # the row is final, its last event is not


def body_of(found: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in found.items() if key not in _OWNED}


def fold(log: Log, session: str, event: Event, data: Any) -> None:
    """`data`: what the event tells."""
    kind = str(event.type).rpartition(".")[0]
    match kind:
        case "message.part.updated":
            if (name := string(at(data, "part", "id"))) is not None:
                log.parts[name] = data["part"]
                log.times.setdefault(name, milliseconds(data.get("time")) or 0)
        case "message.updated":
            if (name := string(at(data, "info", "id"))) is not None:
                log.messages[name] = data["info"]
        case "message.part.removed":
            log.parts.pop(str(at(data, "partID")), None)
        case "message.removed":
            _remove(log, string(at(data, "messageID")))
        case "session.created" | "session.updated":
            info = at(data, "info")
            if isinstance(info, dict) and info.get("id") == session:
                log.session = info
                log.complete |= kind == "session.created" and event.number == 0


def _remove(log: Log, message: str | None) -> None:
    log.messages.pop(str(message), None)
    gone = [name for name, part in log.parts.items() if part.get("messageID") == message]
    for name in gone:
        del log.parts[name]


def absent(stored: Stored, log: Log) -> list[tuple[str, str]]:
    """Table and id of what the log knows and this session has no row of."""
    rows = {item.id for item in stored.rows()}
    known = [(MESSAGE, name) for name in log.messages] + [(PART, name) for name in log.parts]
    return [(table, name) for table, name in known if name not in rows]


def differences(stored: Stored, log: Log) -> Iterator[Difference]:
    rows = {item.id: item for item in stored.rows() if item.table in (MESSAGE, PART)}
    lost = {item.id for item in stored.elsewhere}
    for table, known in ((MESSAGE, log.messages), (PART, log.parts)):
        for name, found in known.items():
            if table == PART and str(found.get("messageID")) not in log.messages:
                continue  # its message began before the log does, or the log is damaged
            item = rows.get(name)
            home = found.get("messageID") if table == PART else None
            if name in lost or (item and home and item.columns.get("message_id") != home):
                detail = f"the row of this {table} hangs on another parent than the log says"
                yield Difference(table, name, "moved", detail)
            elif item is None:
                detail = f"the event log holds this {table}, its row is absent"
                yield Difference(table, name, "absent", detail)
            elif item.body is None:
                detail = f"the event log holds this {table}, its row cannot be read"
                yield Difference(table, name, "unreadable", detail)
            elif (wanted := body_of(found)) != item.body and not agrees(wanted, item.body):
                detail = f"the row and its last event differ: {_names(wanted, item.body)}"
                ahead = is_final(item.body) and not is_final(wanted)
                yield Difference(table, name, "differs", detail, ahead)
    yield from _session_differs(stored, log)


def _session_differs(stored: Stored, log: Log) -> Iterator[Difference]:
    if stored.session is None or log.session is None:
        return
    row, info = stored.session.columns, log.session
    names = [c for c, key in _HEAD.items() if c in row and row[c] != info.get(key)]
    if names:
        detail = f"the session's row and its last event differ: {', '.join(names)}"
        yield Difference(SESSION, stored.id, "differs", detail)


def _names(wanted: dict[str, Any], found: Any) -> str:
    keys = [k for k, v in wanted.items() if not (k in found and agrees(v, found[k]))]
    return ", ".join(key[:20] for key in keys[:3])


def is_final(body: Any) -> bool:
    """A tool part is done, a text has an end, a reply is complete."""
    status = at(body, "state", "status")
    if status is not None:
        return status in ("completed", "error")
    time = at(body, "time")
    return not isinstance(time, dict) or "end" in time or "completed" in time


def head_columns(log: Log, columns: tuple[str, ...]) -> Columns:
    """The row of a session as its last event has it."""
    info = log.session or {}
    found: dict[str, Any] = {c: info.get(key) for c, key in _HEAD.items() if c in columns}
    return found
