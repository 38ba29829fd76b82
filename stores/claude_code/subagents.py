"""Calls that started subagents, and the files in which those wrote."""

import json
import posixpath
from collections.abc import Iterator, Sequence

import msgspec
from msgspec import Raw, Struct

from suture.model.edit import FileEdit
from suture.model.errors import Unsupported
from suture.model.files import Files
from suture.model.rows import StateRow
from suture.stores._json_span import span
from suture.stores.claude_code.sidecars import Sidecars, agent_of, meta_of
from suture.stores.claude_code.view import Transcript

_TOOLS = frozenset({"Agent", "Task"})


class _Outcome(Struct, rename="camel"):
    agent_id: str | None = None


class _Line(Struct, rename="camel"):
    tool_use_result: _Outcome | None = None
    forked_from: Raw | None = None


_line = msgspec.json.Decoder(_Line).decode


def started(found: Transcript) -> dict[str, tuple[int, str]]:
    """Agent id → n and id of the call that started it, as the stored outcome says."""
    if not found.calls.has("name", _TOOLS):
        return {}
    calls = {row.call_id: row.n for row in found.calls if row.name in _TOOLS}
    named = {}
    for row in found.results:
        if row.call_id in calls and (agent := _agent(found, row.n)) is not None:
            named[agent] = (calls[row.call_id], row.call_id)
    return named


def _agent(found: Transcript, n: int) -> str | None:
    stored = bytes(found.data[found.records.span(n)])
    if b'"agentId"' not in stored:
        return None
    try:
        line = _line(stored)
    except ValueError:
        return None  # a text, or a damaged line
    if line.tool_use_result is None or line.forked_from is not None:
        return None  # a fork leaves the files of its subagents with the session it was taken from
    return line.tool_use_result.agent_id


def link_rows(
    found: Sequence[Transcript], main: str, beside: Sidecars, files: Files
) -> Iterator[StateRow]:
    """Where a call and its file do not find each other.

    A transcript without a folder, outside a client's home, is a copy: nothing is known of its
    subagents.
    """
    if not found:
        return
    at_home = bool(beside.files) or "projects" in main.split("/")[:-1]
    agents = {agent: (t, *call) for t in found for agent, call in started(t).items()}
    if not agents and not beside.stated:
        return
    calls = {row.call_id for t in found for row in t.calls}
    written = {agent_of(t.path) for t in found}
    inline = {lane for t in found for lane in t.records.lanes.values()}
    for name, (starter, n, call) in agents.items():
        if at_home and name not in written and name not in inline:
            if _lies_elsewhere(name, main, files):
                continue
            yield StateRow(starter.session, n, "subagent", "no file", call)
    for transcript in found:
        agent = agent_of(transcript.path)
        if (
            agent is None
            or "subagents" not in transcript.path.split("/")
            or not len(transcript.records)
        ):
            continue
        if transcript.path not in beside.stated:
            if agent in agents:
                yield StateRow(transcript.session, 0, "subagent", "no meta", agents[agent][2])
            continue
        stated = beside.stated[transcript.path]
        if stated is not None and stated not in calls:
            yield StateRow(transcript.session, 0, "subagent", "unknown call", stated)


def _lies_elsewhere(agent: str, main: str, files: Files) -> bool:
    """A fork repeats the calls of the session that it was taken from, not its folder."""
    project = files.listing(posixpath.dirname(main) or ".")
    folders = (path for path in project if not path.endswith(".jsonl"))
    return any(files.exists(f"{folder}/subagents/agent-{agent}.jsonl") for folder in folders)


def meta_file(transcript: str, found: Sequence[Transcript]) -> FileEdit:
    """The file beside a subagent's transcript that names its call, from what the call says."""
    agent = agent_of(transcript) or ""
    for starter in found:
        if agent in (named := started(starter)):
            n, call_id = named[agent]
            break
    else:
        raise Unsupported(f"no stored outcome names the subagent {agent}")
    part = next(row.part for row in starter.calls if row.call_id == call_id)
    line = bytes(starter.data[starter.records.span(n)])
    place = span(line, ("message", "content", part, "input"))
    given = json.loads(line[slice(*place)]) if place is not None else {}
    meta = {
        "agentType": given.get("subagent_type", "general-purpose"),
        "description": given.get("description", ""),
        "toolUseId": call_id,
    }
    text = json.dumps(meta, separators=(",", ":"), ensure_ascii=False)
    return FileEdit(meta_of(transcript), None, text.encode("utf-8", "backslashreplace"))
