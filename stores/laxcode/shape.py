"""The generations of laxcode: which tables and columns hold the history, the window, the head."""

from collections.abc import Mapping

from msgspec import Struct, field

from suture.model.address import is_server
from suture.model.edit import Value
from suture.stores._store import Head
from suture.stores._tables import has_columns

Tables = Mapping[str, frozenset[str]]

# A window table of variant D without a version column holds the current window alone.
_WINDOW_VERSIONS = ("compassion_version", "context_compassion_version", "compaction_version")
ORIGINAL, MEMORY = "original", "in_memory"


class Shape(Struct, frozen=True):
    variant: str  # A | B | C | C' | D
    head: str  # table with one row a session
    raw: str
    window: str
    counter: str  # column of the head
    counts_next: bool  # the counter is the next number, not the last one
    columns: Mapping[str, str]  # field of a Line → column of both message tables
    version: str | None = None  # column of the head: which window is the current one
    row_version: str | None = None  # the same, of a row of the window
    revision: str | None = None  # column of the head that each commit raises
    first: int = 0  # version of a window before any compaction
    table_columns: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @property
    def shared(self) -> bool:
        """History and window are rows of one table, told apart by `message_type`."""
        return self.raw == self.window

    @property
    def linked(self) -> bool:
        """A window is a list of links to messages."""
        return self.variant == "A"

    @property
    def strict(self) -> bool:
        """The client opens no session whose window skips or repeats a number."""
        return self.variant != "D"

    def native(self, fields: Mapping[str, Value]) -> dict[str, Value]:
        """Values by the names of the message columns; what the table has no column for is left."""
        known = self.table_columns[self.raw] | self.table_columns[self.window]
        named = ((self.columns.get(name, name), value) for name, value in fields.items())
        return {name: value for name, value in named if name in known}


_ARTICLE = {
    "session": frozenset({"session_id", "next_msg_seq"}),
    "raw_message": frozenset({"session_id", "seq", "role", "content"}),
    "context_window_message": frozenset({"session_id", "seq", "original_seqs"}),
}
_GENERATIONS = {
    "request_contexts": frozenset({"session_id", "revision", "memory_generation", "last_seq"}),
    "messages": frozenset(
        {"session_id", "message_type", "memory_generation", "seq", "original_seq_json", "role"}
    )
    | {"content", "tool_call_id", "tool_calls_json"},
}
_LINKS = {
    "session_contexts": frozenset({"session_id", "revision", "last_seq"}),
    "messages": frozenset({"message_id", "session_id", "seq", "message_kind", "role", "content"})
    | {"tool_call_id", "tool_calls_json", "origin_message_id"},
    "session_context_messages": frozenset({"session_id", "position", "message_id"}),
    "history_entries": frozenset({"message_id", "session_id", "seq"}),
}
_REAL_COLUMNS = {
    "reasoning": "reasoning_content",
    "calls": "tool_calls_json",
    "answers": "tool_call_id",
    "time": "created_at",
    "artifact": "artifact_id",
    "tokens_in": "token_input",
    "tokens_out": "token_output",
    "originals": "original_seq_json",
    "version": "memory_generation",
    "type": "message_type",
}
_ARTICLE_COLUMNS = {
    "calls": "tool_calls",
    "answers": "tool_call_id",
    "time": "created_at",
    "originals": "original_seqs",
}
# The tables of variant D that are read on a server, with the columns that name the session.
SERVER = dict.fromkeys(_ARTICLE, ("session_id",))


def claims(head: Head) -> bool:
    if head.tables is None:
        return False
    if is_server(head.path):
        return has_columns(head.tables, _ARTICLE)
    return shape_of(head.tables) is not None


def shape_of(tables: Tables) -> Shape | None:
    if has_columns(tables, _ARTICLE):
        return _article(tables)
    if has_columns(tables, _GENERATIONS):
        return _generations(tables)
    if has_columns(tables, _LINKS):
        return Shape(
            variant="A",
            head="session_contexts",
            raw="messages",
            window="session_context_messages",
            counter="last_seq",
            counts_next=False,
            columns=_REAL_COLUMNS | {"id": "message_id"},
            revision="revision",
            table_columns=tables,
        )
    return None


def _article(tables: Tables) -> Shape:
    head, raw, window = _ARTICLE
    version = "context_compassion_version"  # the field's own spelling
    row_version = next((name for name in _WINDOW_VERSIONS if name in tables[window]), None)
    return Shape(
        variant="D",
        head=head,
        raw=raw,
        window=window,
        counter="next_msg_seq",
        counts_next=True,
        columns=_ARTICLE_COLUMNS | ({"version": row_version} if row_version else {}),
        version=version if version in tables[head] else None,
        row_version=row_version,
        table_columns=tables,
    )


def _generations(tables: Tables) -> Shape:
    newest = "C'" if "react_turns" in tables else "C"
    return Shape(
        variant=newest if "projects" in tables or newest == "C'" else "B",
        head="request_contexts",
        raw="messages",
        window="messages",
        counter="last_seq",
        counts_next=False,
        columns=_REAL_COLUMNS,
        version="memory_generation",
        row_version="memory_generation",
        revision="revision",
        first=1,
        table_columns=tables,
    )
