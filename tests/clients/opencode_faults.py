"""Faults put into the rows of a healthy OpenCode session, with what no repair can bring back.

The session is that of `scenes.worked`. The client writes each row beside an event that says the
same; a fault of the client itself stands in both.
"""

from damage_done import Fault
from scenes import THREE

HOUR = 3_600_000  # ms


def part(text: str) -> str:
    return f"(SELECT id FROM part WHERE data LIKE '%{text}%')"


def message(text: str) -> str:
    """The one with a part of that text."""
    return f"(SELECT message_id FROM part WHERE data LIKE '%{text}%')"


def last_event(kind: str, id: str) -> str:
    return f"seq = (SELECT max(seq) FROM event WHERE json_extract(data, '$.{kind}.id') = {id})"


def change_part(text: str, call: str) -> str:
    """`call`: a JSON function of SQLite, with {} where the row and its event differ."""
    return _change("part", "part", part(text), call)


def change_message(text: str, call: str) -> str:
    return _change("message", "info", message(text), call)


def _change(table: str, kind: str, id: str, call: str) -> str:
    return (
        f"UPDATE event SET data = {call.format(f'$.{kind}')} WHERE {last_event(kind, id)};"
        f"UPDATE {table} SET data = {call.format('$')} WHERE id = {id};"
    )


def row_later(text: str, by: int) -> str:
    return f"UPDATE message SET time_created = time_created + {by} WHERE id = {message(text)};"


def says_later(text: str, by: int) -> str:
    time = f"json_extract(data, '{{0}}.time.created') + {by}"
    return change_message(text, f"json_set(data, '{{0}}.time.created', {time})")


def later(text: str, by: int) -> str:
    """As if the clock had been wrong while the message was written."""
    return row_later(text, by) + says_later(text, by)


NO_LOG = "DELETE FROM event; DELETE FROM event_sequence;"  # as an upgrade leaves old sessions
CUT = "UPDATE part SET data = substr(data, 1, 40) WHERE id = "
ABORTED = (
    """json_set(data, '{0}.state.status', 'error', '{0}.state.error', 'Tool execution aborted',"""
    """ '{0}.state.metadata', json('{{"output":"so far","interrupted":true}}'))"""
)
REFUSED = (
    """json_set(data, '{0}.error', json('{{"name":"UnknownError","data":{{"message":"x"}}}}'))"""
)
NO_OUTPUT = "json_remove(data, '{0}.state.output')"
FIRST_ID = (
    f"(SELECT json_extract(data, '$.callID') FROM part WHERE id = {part('echo one')})"  # a subquery
)
SAME_ID = f"json_set(data, '{{0}}.callID', {FIRST_ID})"

RESULT, SEEN = f"result {THREE}", "assistant Both seen."
MADE = "touch three"

FAULTS = (
    # The rows are gone or cannot be read; the event log is a second copy of them.
    Fault("no-part", f"DELETE FROM part WHERE id = {part(MADE)}", whole=True),
    Fault("no-text", f"DELETE FROM part WHERE id = {part('Then count')}", whole=True),
    Fault("no-message", f"DELETE FROM message WHERE id = {message('Looking')}", whole=True),
    Fault("no-messages", "DELETE FROM part; DELETE FROM message", whole=True),
    Fault("no-session", "DELETE FROM session", whole=True),
    Fault("part-cut", f"{CUT}{part(MADE)}", whole=True),
    Fault(
        "part-blob",
        f"UPDATE part SET data = cast(data AS blob) WHERE id = {part(MADE)}",
        whole=True,
    ),
    Fault("part-null", f"UPDATE part SET data = 'null' WHERE id = {part(MADE)}", whole=True),
    Fault(
        "message-cut",
        f"UPDATE message SET data = substr(data, 1, 40) WHERE id = {message('Looking')}",
        whole=True,
    ),
    Fault("session-cut", "UPDATE session SET model = substr(model, 1, 9)", whole=True),
    Fault("project-cut", "UPDATE project SET sandboxes = '[\"'", whole=True),
    Fault(
        "part-moved",
        f"UPDATE part SET message_id = {message('Looking')} WHERE id = {part(MADE)}",
        whole=True,
    ),
    # The same without a log.
    Fault("text-cut-without-log", f"{CUT}{part('Both seen')};{NO_LOG}", {SEEN: None}),
    # The counter of events.
    Fault("counter-behind", "UPDATE event_sequence SET seq = seq - 5", whole=True),
    Fault("no-counter", "DELETE FROM event_sequence", whole=True),
    # What the client itself stores and then stumbles over.
    Fault("aborted-call", change_part(MADE, ABORTED), becomes={RESULT: ("three\n", "so far")}),
    Fault("refused-reply", change_message(MADE, REFUSED), whole=True),
    Fault("call-id-twice", change_part(MADE, SAME_ID)),
    Fault("no-output", change_part(MADE, NO_OUTPUT), {RESULT: None}),
    # Clocks.
    Fault("prompt-from-the-future", later("Then count", HOUR), whole=True),
    Fault("reply-from-the-future", later("Counted", HOUR), whole=True),
    Fault("prompt-says-the-future", says_later("Then count", HOUR), whole=True),
    Fault("reply-says-the-future", says_later("Counted", HOUR), whole=True),
    Fault("row-dated-otherwise", row_later("Looking", HOUR), whole=True),
)
