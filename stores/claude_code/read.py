"""A unit into rows: the main file, then each subagent as a session of its own."""

from collections.abc import Iterator

from suture.model.files import Files
from suture.model.rows import DamageRow, SourceRow
from suture.model.unit import Unit
from suture.stores._sink import Sink
from suture.stores.claude_code.recognise import has_session_name, stem
from suture.stores.claude_code.records import ASSISTANT, CHAINED
from suture.stores.claude_code.references import reference_rows
from suture.stores.claude_code.sidecars import Sidecars, agent_of, sidecars, spilled
from suture.stores.claude_code.subagents import link_rows
from suture.stores.claude_code.tables import Identity, fill
from suture.stores.claude_code.transcript import read_transcript
from suture.stores.claude_code.view import Transcript


def read(unit: Unit, files: Files, sink: Sink) -> None:
    beside = sidecars(unit.paths, files)
    found = list(_transcripts(unit, files, sink))
    if not found:
        return
    first = found[0] if found[0].path == unit.paths[0] else None
    main = _identity(unit.paths[0], first)
    ended = _ended(found)
    for link in link_rows(found, unit.paths[0], beside, files):
        sink.add("state_kv", link)
    for transcript in found:
        _prove(transcript, beside, ended)
        who = main if transcript is first else _subagent(transcript, main)
        for row in reference_rows(transcript, unit.paths[0], beside, files):
            sink.add("artifact", row)
        fill(sink, unit.index, transcript, who, beside, files.memory)


def transcript_paths(unit: Unit) -> list[str]:
    """In the order of the session keys."""
    return [path for path in unit.paths if path.endswith(".jsonl")]


def _transcripts(unit: Unit, files: Files, sink: Sink) -> Iterator[Transcript]:
    for path in transcript_paths(unit):
        session = sink.session_key()
        try:
            data = files.data(path)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            sink.add("damage", DamageRow(unit.index, path, "unreadable", None, None, None, reason))
            sink.add("source", SourceRow(unit.index, unit.store, path, "jsonl"))
            continue
        main, live = is_main(unit, path), sink.live is not None
        transcript = read_transcript(session, path, data, main=main, full=sink.full, live=live)
        count = len(transcript.records)
        sink.add("source", SourceRow(unit.index, unit.store, path, "jsonl", len(data), count))
        yield transcript


def is_main(unit: Unit, path: str) -> bool:
    return path == unit.paths[0] and agent_of(path) is None


def _identity(path: str, found: Transcript | None) -> Identity:
    """Of the unit's first file; `found` is None where it cannot be read."""
    name = stem(path)
    inner = next(filter(None, found.sessions), None) if found is not None else None
    if agent_of(path) is not None:  # a subagent file on its own
        agent = (found and found.agent) or agent_of(path)
        return Identity(f"{inner or '?'}#{agent}", inner or "", "subagent", parent=inner)
    if has_session_name(path):
        return Identity(name, name, name_id=name)
    return Identity(inner or name, inner or name)


def _subagent(found: Transcript, main: Identity) -> Identity:
    agent = agent_of(found.path) or stem(found.path)
    return Identity(f"{main.id}#{agent}", main.main, "subagent", parent=main.id)


def _ended(found: list[Transcript]) -> set[str]:
    """Paths of the subagents whose last word is the end of their turn."""
    ended = set()
    for transcript in found:
        records = transcript.records
        last = next((n for n in reversed(range(len(records))) if records.marks[n] & CHAINED), -1)
        ends = last >= 0 and records.marks[last] & ASSISTANT
        if ends and records.value("status", last) == "end_turn":
            ended.add(transcript.path)
    return ended


def _prove(found: Transcript, beside: Sidecars, ended: set[str]) -> None:
    """Calls whose outcome another file of the session holds."""
    folder = beside.folder
    found.proofs = {
        call: (path.removeprefix(folder), "the subagent that it started came to its end")
        for call, path in beside.metas.items()
        if path in ended
    }
    for call, path in spilled(beside).items():
        found.proofs[call] = (path, "its output was written to a file")
