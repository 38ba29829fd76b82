"""A repair as a new session: the store says which files that takes, the old ones stay."""

from collections.abc import Iterator, Mapping
from hashlib import sha256

from msgspec.structs import replace

from suture import stores
from suture.model.edit import Edit, FileEdit, RowEdit, TwinEdit
from suture.model.errors import Unsupported
from suture.model.operation import Safety
from suture.model.plan import Fork, SourceState, Step, UnitPlan
from suture.repair import twin
from suture.repair.drafts import Draft
from suture.repair.overlay import Overlay, absolute
from suture.run import Judged, judge
from suture.stores import Forked, Twin


def forked(plan: UnitPlan, mine: Draft, overlay: Overlay, first: Judged, why: str) -> UnitPlan:
    """The same repair as a new session. Raises Unsupported."""
    edited = {edit.path for step in plan.steps for edit in step.edits}
    changed = [path for path in mine.unit.paths if absolute(path) in edited]
    made = stores.store_named(plan.store).fork(mine.unit, overlay, changed)
    made = replace(made, twins=(*made.twins, *_created(made, mine, overlay)))
    plan = _without_followers(plan)
    known = {absolute(one.origin) for one in made.twins}
    for edit in (edit for step in plan.steps for edit in step.edits):
        if edit.path not in known:
            raise Unsupported(f"the repair also changes {edit.path}")
    for one in made.twins:
        if overlay.exists(one.path):
            raise Unsupported(f"{one.path} is there already: this repair was written before")
    contents = {one.path: _content(one, made, overlay) for one in made.twins}
    edits = [_edit(one, made, overlay, contents[one.path]) for one in made.twins]
    kept = [_unchanged(source) for source in plan.sources if source.sha256 is not None]
    fresh = [_fresh(path, contents[path]) for path in contents]
    step = Step(
        max((step.round for step in plan.steps), default=0) + 1,
        f"write the repaired session as a new one, {made.new}",
        ("Fork",),
        Safety.SAFE,
        "append",
        (),
        tuple(reversed(edits)),
    )
    return replace(
        plan,
        # sidecars first: a client that sees the new session finds all of it
        sources=(*kept, *reversed(fresh)),
        steps=(*(replace(one, edits=()) for one in plan.steps), step),
        remaining=_remaining(plan, contents, overlay, first),
        fork=Fork(made.new, tuple(absolute(path) for path in contents), why),
    )


def _without_followers(plan: UnitPlan) -> UnitPlan:
    """Rows of a database that many sessions share stay the old session's, as it stays itself."""
    rows = {
        edit.path
        for step in plan.steps
        for edit in step.edits
        if isinstance(edit, RowEdit) and edit.path not in plan.paths
    }
    return replace(
        plan,
        sources=tuple(source for source in plan.sources if source.path not in rows),
        steps=tuple(
            step for step in plan.steps if any(edit.path not in rows for edit in step.edits)
        ),
    )


def _created(made: Forked, mine: Draft, overlay: Overlay) -> Iterator[Twin]:
    """Files that the repair makes in the folder of the session."""
    known = {one.origin for one in made.twins}
    if made.folders is None:
        return
    old, new = made.folders
    for path, (edit, step) in overlay.files.items():
        ours = step in mine.steps and edit.after is not None and path not in known
        if ours and path.startswith(f"{old}/"):
            yield Twin(new + path.removeprefix(old), path)


def _token(id: str) -> bytes:
    return f'"{id}"'.encode()


def _content(one: Twin, made: Forked, overlay: Overlay) -> bytes:
    data = bytearray(overlay.data(one.origin))
    for offset in one.at:
        data[offset : offset + len(made.old) + 2] = _token(made.new)
    return bytes(data) + one.tail


def _edit(one: Twin, made: Forked, overlay: Overlay, content: bytes) -> Edit:
    path = absolute(one.path)
    if one.origin in overlay.files:  # made by the repair: it lies nowhere yet
        return FileEdit(path, None, content)
    parts = twin.parts(
        overlay.original(one.origin),
        overlay.patches.get(one.origin, ()),
        one.at,
        _token(made.old),
        _token(made.new),
    )
    return TwinEdit(path, absolute(one.origin), (*parts, *((one.tail,) if one.tail else ())))


def _unchanged(source: SourceState) -> SourceState:
    return SourceState(
        source.path, source.size, source.sha256, source.path, source.size, source.sha256
    )


def _fresh(path: str, content: bytes) -> SourceState:
    name = absolute(path)
    return SourceState(name, 0, None, name, len(content), sha256(content).hexdigest())


def _remaining(
    plan: UnitPlan, contents: Mapping[str, bytes], overlay: Overlay, first: Judged
) -> tuple[str, ...]:
    """What a check of the new session finds, as the applier will look."""
    after = Overlay(overlay)
    try:
        after.add([(FileEdit(path, None, data), 0) for path, data in contents.items()])
        units = stores.store_named(plan.store).units(after, list(contents))
        scope = replace(first.scope, sessions=(), assume="dead")
        numbered = [replace(unit, index=index) for index, unit in enumerate(units)]
        return tuple(sorted(f.fingerprint for f in judge(numbered, after, scope).all))
    finally:
        after.close()
