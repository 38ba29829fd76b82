"""The older store: one JSON file a session, message and part. Ids are those of the paths, which
were moved without editing what stands inside."""

import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from suture.model.files import Files
from suture.model.unit import Unit
from suture.stores.opencode.stored import (
    MESSAGE,
    PART,
    SESSION,
    Columns,
    Item,
    Message,
    Problem,
    Stored,
)
from suture.stores.opencode.values import Fault, at, parsed, string, written

_FILE = re.compile(
    r"(?P<root>(?:.*/)?storage)/"
    r"(?:session/(?P<project>[^/]+)/(?P<ses>ses[^/]*)"
    r"|message/(?P<of>ses[^/]+)/(?P<msg>msg[^/]*)"
    r"|part/(?P<in>msg[^/]+)/(?P<prt>prt[^/]*))\.json",
    re.DOTALL,
)


def is_part_of_tree(path: str) -> bool:
    return _FILE.fullmatch(path.replace("\\", "/")) is not None


def units(files: Files, paths: Sequence[str]) -> list[Unit]:
    """A session with its messages and parts; parts without a message go by what they say."""
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    session_of: dict[tuple[str, str], str] = {}
    parts: list[tuple[str, str, str]] = []
    for path in sorted(paths):
        match = _FILE.fullmatch(path)
        assert match is not None
        root = match["root"]
        if match["ses"]:
            found[root, match["ses"]].insert(0, path)
        elif match["msg"]:
            session_of[root, match["msg"]] = match["of"]
            found[root, match["of"]].append(path)
        else:
            parts.append((root, match["in"], path))
    for root, message, path in parts:
        session = session_of.get((root, message)) or _said(files, path) or message
        found[root, session].append(path)
    return [Unit(0, "opencode", tuple(kept), name) for (_, name), kept in found.items()]


def _said(files: Files, path: str) -> str | None:
    return string(at(_loaded(files, path)[0], "sessionID"))


def stored(unit: Unit, files: Files) -> Stored:
    """Folders are listed again, not only the paths of the unit: a repair may add a file."""
    first = _FILE.fullmatch(unit.paths[0])
    assert first is not None and unit.session is not None
    root, session = first["root"], unit.session
    head = None
    if first["ses"] and files.exists(unit.paths[0]):
        head = _item(files, SESSION, unit.paths[0], {"project_id": first["project"]})
    messages = []
    for path in _json(files, f"{root}/message/{session}"):
        item = _item(files, MESSAGE, path, {"session_id": session})
        parts = tuple(
            _item(files, PART, part, {"message_id": item.id, "session_id": session})
            for part in _json(files, f"{root}/part/{item.id}")
        )
        messages.append(Message(item, parts))
    known = {message.id for message in messages}
    strays = tuple(
        _item(files, PART, path, {"message_id": match["in"], "session_id": session})
        for path in unit.paths
        if (match := _FILE.fullmatch(path)) and match["prt"] and match["in"] not in known
        if files.exists(path)
    )
    return Stored(
        id=session,
        path=unit.paths[0],
        session=head,
        faults=(),
        messages=tuple(messages),
        strays=strays,
        problems=(*_without_message(strays), *_without_project(files, root, head)),
    )


def _json(files: Files, folder: str) -> list[str]:
    return [path for path in files.listing(folder) if path.endswith(".json")]


def _item(files: Files, table: str, path: str, columns: Columns) -> Item:
    body, fault, size = _loaded(files, path)
    name = PurePath(path).stem
    known: dict[str, Any] = {"id": name, **columns, "size": size}
    said = string(at(body, "sessionID"))
    if table == PART and said is not None:
        known["session_id"] = said
    if (created := at(body, "time", "created")) is not None and table != PART:
        known["time_created"] = created
    if table == SESSION and isinstance(body, dict):
        known |= {"title": body.get("title"), "directory": body.get("directory")}
        known |= {"version": body.get("version"), "parent_id": body.get("parentID")}
    return Item(table, name, known, body if isinstance(body, dict) else None, fault, path)


def _loaded(files: Files, path: str) -> tuple[Any, Fault | None, int]:
    try:
        data = bytes(files.data(path))
    except OSError as error:
        return None, Fault("unreadable", (error.strerror or str(error)).lower()), 0
    if not data:
        return None, Fault("empty_file", "the file has no bytes"), 0
    body, fault = parsed(data.decode("utf-8", "surrogateescape"), "the file")
    if fault is None and not isinstance(body, dict):
        fault = Fault("bad_shape", "the file holds no object")
    return body, fault, len(data)


def _without_message(strays: Sequence[Item]) -> list[Problem]:
    by_message: dict[Any, list[Item]] = defaultdict(list)
    for stray in strays:
        by_message[stray.columns["message_id"]].append(stray)
    return [
        Problem(PART, found[0].key, f"message {name!s} of it is absent", len(found), True)
        for name, found in by_message.items()
    ]


def _without_project(files: Files, root: str, head: Item | None) -> list[Problem]:
    project = head.columns["project_id"] if head else None
    known = files.listing(f"{root}/project")
    if head is None or not known or files.exists(f"{root}/project/{project!s}.json"):
        return []
    return [Problem(SESSION, head.key, f"project {project!s} of it is absent", 1, False)]


def body_of_file(body: Any) -> bytes:
    """As the client writes a file: indented, with the ids inside."""
    return written(body, indent=2).encode()


def place_of(stored: Stored, table: str, folder: str, name: str) -> str:
    """The path of a new file."""
    match = _FILE.fullmatch(stored.path)
    assert match is not None
    return f"{match['root']}/{table}/{folder}/{name}.json"
