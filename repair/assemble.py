"""Drafts → the plan: which files, from which bytes to which, and what that costs a cache."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path

from msgspec.structs import replace

from suture.model.address import is_server
from suture.model.edit import RowEdit, SpanEdit
from suture.model.plan import Prefix, SourceState, Step, UnitPlan
from suture.repair.drafts import Draft
from suture.repair.overlay import Overlay, absolute
from suture.repair.steps import finished
from suture.repair.uniform import FEWEST, folded
from suture.servers.copying import identity

TokensAfter = Callable[[Draft, str, int | None], tuple[str | None, int | None]]


def unit_plan(mine: Draft, overlay: Overlay, tokens_after: TokensAfter) -> UnitPlan:
    """`tokens_after(draft, path, offset)` gives the first changed record and the recorded input
    tokens of what comes after it."""
    names = {path: absolute(path) for path in _paths(mine, overlay)}
    steps = finished(mine, overlay, names)
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
    made = list(steps)
    for path, name in names.items():
        for index, step in enumerate(made):
            mine = _spans(step, name)
            if len(mine) < FEWEST:
                continue
            others = [e for i, s in enumerate(steps) if i != index for e in _spans(s, name)]
            rest = [e for e in step.edits if not (isinstance(e, SpanEdit) and e.path == name)]
            found = folded(mine, overlay.original(path), others)
            made[index] = replace(step, edits=(*found, *rest))
    return tuple(made)


def _spans(step: Step, path: str) -> list[SpanEdit]:
    return [e for e in step.edits if isinstance(e, SpanEdit) and e.path == path]


def _paths(mine: Draft, overlay: Overlay) -> list[str]:
    """Files that the unit reads, files that its steps create, databases that follow its files.
    What goes before a database is replaced comes first."""
    made = [p for p, (_, step) in overlay.files.items() if step in mine.steps]
    if mine.unit.paths[0] in overlay.databases:
        return list(dict.fromkeys([*made, *mine.unit.paths]))
    rows = [
        path
        for path, edits in overlay.rows.items()
        if any(step in mine.steps for _, step in edits.values())
    ]
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
    line = bytes(overlay.original(path)[:offset]).count(b"\n") + 1
    record, tokens = tokens_after(mine, path, offset)
    return Prefix(name, offset, line, record, tokens)
