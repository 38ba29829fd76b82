"""Operations into edits of bytes: which operation asks what of which transcript."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from suture.model.edit import Edit, SpanEdit
from suture.model.errors import Unsupported
from suture.model.files import Files, remembered
from suture.model.operation import (
    Answer,
    Cut,
    Drop,
    DropPart,
    Move,
    Note,
    Operation,
    Quarantine,
    Rebuild,
    Rekey,
    RekeyCall,
    Reparent,
    Replace,
    Restore,
    ResultsFirst,
    SetState,
    Split,
    Truncate,
)
from suture.model.place import Span
from suture.model.unit import Unit
from suture.stores._byte_edits import byte_edits
from suture.stores._store import Alone, Translated, attempt
from suture.stores.claude_code.answers import answer, set_leaf
from suture.stores.claude_code.chain import mark_chain
from suture.stores.claude_code.draft import Draft
from suture.stores.claude_code.index import Index
from suture.stores.claude_code.links import move, name, rekey, rekey_call, reparent
from suture.stores.claude_code.read import is_main, transcript_paths
from suture.stores.claude_code.restore import restore
from suture.stores.claude_code.subagents import meta_file
from suture.stores.claude_code.takeouts import (
    adopt,
    drop,
    drop_parts,
    note,
    results_first,
    truncate,
)
from suture.stores.claude_code.transcript import read_transcript
from suture.stores.claude_code.written import written

SUPPORTS: Mapping[str, str] = {
    **dict.fromkeys(
        (
            "Answer", "Restore", "Drop", "DropPart", "ResultsFirst", "Note", "Truncate",
            "Quarantine", "Cut", "Split", "Replace", "Reparent", "Rekey", "RekeyCall", "Move",
            "SetState", "Rebuild",  # of the meta file of a subagent
        ),
        "yes",
    ),
    "Renumber": "lines of Claude Code carry no ordinal",
    "Blank": "lines of Claude Code are found by their uuid, not by their offset",
    "SetCounter": "a transcript stores no counter",
    "NewWindow": "the context is made from the transcript at every resume",
}  # fmt: skip


def edits(unit: Unit, files: Files, operations: Sequence[Operation]) -> list[Translated]:
    """One translation an operation; what several add at one place is an edit of the first."""
    return _edits(_Transcripts(unit, files), operations)


def edits_alone(unit: Unit, files: Files, groups: Sequence[Sequence[Operation]]) -> Iterator[Alone]:
    transcripts = _Transcripts(unit, files)
    return (attempt(partial(_edits, transcripts), group) for group in groups)


def _edits(transcripts: "_Transcripts", operations: Sequence[Operation]) -> list[Translated]:
    drafts = _Drafts(transcripts)
    parts: dict[int, list[tuple[int, DropPart]]] = defaultdict(list)
    for owner, operation in enumerate(operations):
        if isinstance(operation, DropPart):
            parts[operation.session].append((owner, operation))
    for session, owned in parts.items():
        drop_parts(drafts.of_session(session), owned)
    for owner, operation in enumerate(operations):
        if isinstance(operation, Rekey):
            draft = drafts.of_session(operation.session)
            name(draft, owner, draft.entry(operation.n))  # before others hang on it
    costs = [_apply(drafts, owner, operation) for owner, operation in enumerate(operations)]
    edits: list[list[Edit]] = [[] for _ in operations]
    for draft in drafts.made.values():
        for owner, edit in written(draft):
            edits[owner].append(edit)
    for owner, operation in enumerate(operations):
        if isinstance(operation, Rebuild):
            edits[owner].append(drafts.meta_file(operation))
    return [Translated(tuple(own), cost) for own, cost in zip(edits, costs, strict=True)]


class _Transcripts:
    """Each is read when an operation first names it."""

    def __init__(self, unit: Unit, files: Files) -> None:
        self.main, self.files = unit.paths[0], files
        self.paths = transcript_paths(unit)
        self._unit = unit
        self._read: dict[str, Index] = {}

    def of_path(self, path: str) -> Index:
        if path not in self.paths:
            raise Unsupported(f"{path} is not a transcript of this session")
        if path not in self._read:
            read, size = partial(self._index, path), lambda made: len(made.found.records)
            self._read[path] = remembered(self.files.memory, path, read, size)
        return self._read[path]

    def _index(self, path: str) -> Index:
        session = (self._unit.index << 32) + self.paths.index(path)
        data = self.files.data(path)
        found = read_transcript(session, path, data, main=is_main(self._unit, path))
        mark_chain(found)
        return Index(found)


class _Drafts:
    """One draft a transcript."""

    def __init__(self, transcripts: _Transcripts) -> None:
        self.main, self.files = transcripts.main, transcripts.files
        self.made: dict[str, Draft] = {}
        self._transcripts = transcripts

    def of_session(self, session: int) -> Draft:
        return self.of_path(self._transcripts.paths[session & 0xFFFF_FFFF])

    def of_path(self, path: str) -> Draft:
        if path not in self.made:
            self.made[path] = Draft(self._transcripts.of_path(path))
        return self.made[path]

    def meta_file(self, operation: Rebuild) -> Edit:
        if operation.what != "meta":
            raise Unsupported("a transcript has no header and no projection")
        paths = self._transcripts.paths
        found = [self.of_path(path).found for path in paths]
        return meta_file(paths[operation.session & 0xFFFF_FFFF], found)


def _apply(drafts: _Drafts, owner: int, operation: Operation) -> str:  # noqa: PLR0911, PLR0912 (one each)
    """Returns what the operation costs a provider's cache."""
    match operation:
        case Quarantine() | Cut() | Split() | Replace():
            return _bytes(drafts, owner, operation)
        case Rebuild():
            return "envelope"
        case DropPart():
            return "payload"  # taken out before, all of a record at once
        case Answer():
            return answer(drafts.of_session(operation.session), owner, operation)
        case Restore():
            draft = drafts.of_session(operation.session)
            return restore(draft, owner, operation, drafts.files, drafts.main)
        case Drop():
            return drop(drafts.of_session(operation.session), owner, operation)
        case ResultsFirst():
            return results_first(drafts.of_session(operation.session), owner, operation)
        case Note():
            return note(drafts.of_session(operation.session), owner, operation)
        case Truncate():
            return truncate(drafts.of_session(operation.session), owner, operation)
        case Reparent():
            return reparent(drafts.of_session(operation.session), owner, operation)
        case Rekey():
            return rekey(drafts.of_session(operation.session), owner, operation)
        case RekeyCall():
            return rekey_call(drafts.of_session(operation.session), owner, operation)
        case Move():
            return move(drafts.of_session(operation.session), owner, operation)
        case SetState():
            return set_leaf(drafts.of_session(operation.session), owner, operation)
        case _:
            raise Unsupported(SUPPORTS[type(operation).__name__])


def _bytes(drafts: _Drafts, owner: int, operation: Quarantine | Cut | Split | Replace) -> str:
    place = operation.place
    if not isinstance(place, Span):
        raise Unsupported("a transcript has no rows")
    draft = drafts.of_path(place.path)
    made = byte_edits(place.path, draft.found.data, operation)
    if made is None:
        raise Unsupported("these bytes cannot be changed")
    for edit in made.edits:
        if isinstance(edit, SpanEdit):
            draft.add_edit(owner, edit)
    if isinstance(operation, Quarantine):
        adopt(draft, owner, place)
    return made.cache_class
