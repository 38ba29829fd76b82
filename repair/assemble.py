"""Drafts → the plan: which files, from which bytes to which, and what that costs a cache."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path

from msgspec.structs import replace

from suture.model.address import is_server
from suture.model.edit import Edit, FileEdit, RowEdit, SpanEdit
from suture.model.files import give_back
from suture.model.plan import Prefix, SourceState, Step, UnitPlan
from suture.repair.drafts import Draft
from suture.repair.overlay import Overlay, absolute
from suture.repair.steps import finished
from suture.repair.uniform import FEWEST, Together, folded
from suture.servers.copying import identity

_SLICE = 1 << 20

TokensAfter = Callable[[Draft, str, int | None], tuple[str | None, int | None]]


def unit_plan(
    mine: Draft,
    overlay: Overlay,
    laid: Mapping[int, Sequence[Edit]],
    tokens_after: TokensAfter,
) -> UnitPlan:
    """`laid`: the edits of each step. `tokens_after(draft, path, offset)` gives the first changed
    record and the recorded input tokens of what comes after it."""
    names = {path: absolute(path) for path in _paths(mine, overlay, laid)}
    steps = finished(mine, laid, names)
    touched = {edit.path for step in steps for edit in step.edits}
    sources = tuple(
        _source(path, name, overlay, name in touched)
        for path, name in names.items()
        if name in touched or path in mine.unit.paths
    )
    return UnitPlan(
        unit=absolute(mine.unit.paths[0]) + mine.unit.suffix,
        store=mine.unit.store,
        paths=tuple(absolute(path) for path in mine.unit.paths),
        session=mine.unit.session,
        sources=sources,
        steps=_uniform(steps, names, overlay),
        skipped=mine.skipped,
        remaining=tuple(sorted(f.fingerprint for f in mine.final)),
        prefix=tuple(
            _prefix(mine, path, name, steps, overlay, tokens_after)
            for path, name in names.items()
            if name in touched
        ),
        mapping=mine.unit.mapping,
    )


def _uniform(steps: Sequence[Step], names: Mapping[str, str], overlay: Overlay) -> tuple[Step, ...]:
    """Where one step does the same in many places, it is one edit."""
    together: dict[str, Together] = {}
    made = list(steps)
    for index, step in enumerate(steps):
        mine = _spans(step.edits)
        many = {name for name, edits in mine.items() if len(edits) >= FEWEST}
        if many and not together:
            every = _spans(edit for step in steps for edit in step.edits)
            together = {name: Together.of(edits) for name, edits in every.items()}
        for path, name in names.items() if many else ():
            if name in many:
                found = folded(mine[name], overlay.original(path), together[name])
                rest = [e for e in made[index].edits if e.path != name or type(e) is not SpanEdit]
                made[index] = replace(step, edits=(*found, *rest))
    return tuple(made)


def _spans(edits: Iterable[Edit]) -> dict[str, list[SpanEdit]]:
    """By path."""
    found: dict[str, list[SpanEdit]] = {}
    for edit in edits:
        if isinstance(edit, SpanEdit):
            found.setdefault(edit.path, []).append(edit)
    return found


def _paths(mine: Draft, overlay: Overlay, laid: Mapping[int, Sequence[Edit]]) -> list[str]:
    """Files that the unit reads, files that its steps create, databases that follow its files.
    What goes before a database is replaced comes first."""
    own = [edit for step in mine.steps for edit in laid.get(step, ())]
    files = {edit.path for edit in own if isinstance(edit, FileEdit)}
    made = [path for path in overlay.files if path in files]
    if mine.unit.paths[0] in overlay.databases:
        return list(dict.fromkeys([*made, *mine.unit.paths]))
    tables = {edit.path for edit in own if isinstance(edit, RowEdit)}
    rows = [path for path in overlay.rows if path in tables]
    return list(dict.fromkeys([*mine.unit.paths, *made, *rows]))


def _source(path: str, name: str, overlay: Overlay, touched: bool) -> SourceState:
    if is_server(path):
        with closing(overlay.sqlite(path)) as database:
            server = identity(database)
        known = sha256(server.encode()).hexdigest()
        return SourceState(name, 0, known, name, None, None, server)
    if path in overlay.rows:
        return SourceState(name, *_database(path), name, None, None)
    size, digest = _stored(path)
    if path in overlay.patches:
        after_size, after_digest = overlay.outcome(path)
        return SourceState(name, size, digest, name.removesuffix(".zst"), after_size, after_digest)
    if not touched:  # by this unit: sessions of a database share its file
        return SourceState(name, size, digest, name, size, digest)
    return SourceState(name, size, digest, name, *_whole(path, overlay))


def _whole(path: str, overlay: Overlay) -> tuple[int | None, str | None]:
    """What comes of a file that is changed as a whole."""
    if path in overlay.databases and (fresh := overlay.condition(path).file) is not None:
        return _stored(fresh)
    after = overlay.files[path][0].after
    return (None, None) if after is None else (len(after), sha256(after).hexdigest())


def _stored(path: str) -> tuple[int, str | None]:
    try:
        with Path(path).open("rb") as file:
            digest = sha256()
            size = 0
            while chunk := file.read(1 << 20):
                digest.update(chunk)
                size += len(chunk)
    except FileNotFoundError:
        return 0, None
    return size, digest.hexdigest()


def _database(path: str) -> tuple[int, str]:
    """Main file and `-wal` together: a crashed store may have all its rows in the latter."""
    digest, size = sha256(), 0
    for part in (path, f"{path}-wal"):
        if Path(part).exists():
            data = Path(part).read_bytes()
            digest.update(data)
            size += len(data)
    return size, digest.hexdigest()


def _prefix(
    mine: Draft,
    path: str,
    name: str,
    steps: Sequence[Step],
    overlay: Overlay,
    tokens_after: TokensAfter,
) -> Prefix:
    edits = [edit for step in steps for edit in step.edits if edit.path == name]
    spans = [edit for edit in edits if isinstance(edit, SpanEdit)]
    if not spans:
        rows = [edit for edit in edits if isinstance(edit, RowEdit)]
        record = f"{rows[0].table} {dict(rows[0].key)}" if rows else None
        return Prefix(name, None, None, record, None)
    offset = min(edit.offset for edit in spans)
    line = _lines(overlay.original(path), offset) + 1
    record, tokens = tokens_after(mine, path, offset)
    return Prefix(name, offset, line, record, tokens)


def _lines(data: memoryview, stop: int) -> int:
    """Line ends before that byte."""
    found = 0
    for at in range(0, stop, _SLICE):
        found += bytes(data[at : min(at + _SLICE, stop)]).count(b"\n")
        give_back(data, 0, at)
    return found
