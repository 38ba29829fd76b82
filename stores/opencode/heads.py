"""A session's row made again from its last event, or from what its messages say."""

from typing import Any

from suture.model.edit import Value
from suture.model.errors import Unsupported
from suture.stores.opencode.counts import totals
from suture.stores.opencode.log import Log
from suture.stores.opencode.session_row import fits
from suture.stores.opencode.stored import SESSION, Stored
from suture.stores.opencode.values import at, integer, written

# column → path inside the event's `info`
_COLUMNS = {
    "id": ("id",),
    "project_id": ("projectID",),
    "workspace_id": ("workspaceID",),
    "parent_id": ("parentID",),
    "slug": ("slug",),
    "directory": ("directory",),
    "path": ("path",),
    "title": ("title",),
    "version": ("version",),
    "agent": ("agent",),
    "share_url": ("share", "url"),
    "summary_additions": ("summary", "additions"),
    "summary_deletions": ("summary", "deletions"),
    "summary_files": ("summary", "files"),
    "time_created": ("time", "created"),
    "time_updated": ("time", "updated"),
    "time_compacting": ("time", "compacting"),
    "time_archived": ("time", "archived"),
}
_JSON = {
    "summary_diffs": ("summary", "diffs"),
    "metadata": ("metadata",),
    "revert": ("revert",),
    "permission": ("permission",),
    "model": ("model",),
}


_NEEDED = ("project_id", "slug", "directory", "title", "version", "time_created", "time_updated")


def lacking(stored: Stored, log: Log | None) -> str | None:
    """Why the row of a session cannot be made again."""
    if log is None or log.session is None:
        return "no event tells its folder, title, project and version"
    wanted = [name for name in _NEEDED if name in stored.columns[SESSION]]
    names = [name for name in wanted if at(log.session, *_COLUMNS[name]) is None]
    return f"its last event does not tell {', '.join(names)}" if names else None


def row(stored: Stored, log: Log) -> dict[str, Value]:
    """Raises Unsupported where the log does not hold the session."""
    if (why := lacking(stored, log)) is not None:
        raise Unsupported(f"the row cannot be made again: {why}")
    columns = stored.columns[SESSION]
    found: dict[str, Value] = {
        name: _plain(at(log.session, *keys)) for name, keys in _COLUMNS.items() if name in columns
    }
    found |= {name: json_column(log, name) for name in _JSON if name in columns}
    return found | {name: n for name, n in totals(stored).items() if name in columns}


def _plain(value: Any) -> Value:
    if isinstance(value, dict | list):
        raise Unsupported("the event log holds something else than the session's row takes")
    return integer(value) if isinstance(value, int) else value


def json_column(log: Log, name: str) -> str | None:
    value: Any = at(log.session, *_JSON[name])
    return None if value is None or not fits(name, value) else written(value)


def mended(stored: Stored, log: Log, column: str) -> Value:
    """What belongs in the place of a value that the client refuses: as the log or the rows have it,
    else nothing."""
    if column in _JSON:
        return json_column(log, column)
    summed: Value = totals(stored).get(column)
    if summed is not None:
        return summed
    kept = at(log.session, *_COLUMNS.get(column, (column,)))
    if column == "parent_id":
        return kept if isinstance(kept, str) and kept.startswith("ses") else None
    if column == "time_created" and integer(kept) is None:
        return min((m.item.number(column) or 0 for m in stored.messages), default=0)
    return integer(kept)


def changed(stored: Stored, log: Log) -> dict[str, Value]:
    """What the last event says of columns that differ from it."""
    wanted = row(stored, log)
    names = ("title", "directory", "version", "agent", "parent_id", "project_id")
    return {name: wanted[name] for name in names if name in wanted}
