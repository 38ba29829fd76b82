"""A plan must agree with itself before any of it is done: somebody may have edited the file."""

from hashlib import sha256

from suture.model.address import is_server
from suture.model.edit import BytesEdit, DatabaseEdit, FileEdit, RowEdit, Shift, Swap, TwinEdit
from suture.model.errors import BadPlan
from suture.model.plan import Plan, SourceState, UnitPlan
from suture.repair import splice
from suture.repair.change import edits_of


def check(plan: Plan) -> None:
    for unit in plan.units:
        _check_unit(unit)


def _check_unit(unit: UnitPlan) -> None:
    known = [source.path for source in unit.sources]
    used = {edit.path for step in unit.steps for edit in step.edits}
    for path in sorted(used - set(known)):
        raise BadPlan(f"the plan edits {path} but does not say what it was before; plan again")
    renamed = [s.after_path for s in unit.sources if s.after_path != s.path]
    names = [*known, *renamed]
    if len(set(names)) != len(names) or any("\0" in name or not name for name in names):
        raise BadPlan(f"the sources of {unit.unit} are not one path each; plan again")
    if used and not unit.paths:
        raise BadPlan(f"the unit {unit.unit} has no path; plan again")
    if any(is_server(path) for path in (*unit.paths, *names)):
        _check_server(unit)
    for index, source in enumerate(unit.sources):
        _check_source(unit, index, source)


def _check_server(unit: UnitPlan) -> None:
    """A session on a server is rows of that one database."""
    edits = [edit for step in unit.steps for edit in step.edits]
    one = len(unit.paths) == 1 and [s.path for s in unit.sources] == list(unit.paths)
    if not one or not all(isinstance(edit, RowEdit) for edit in edits):
        raise BadPlan(f"the plan changes {unit.unit} and something beside it; plan again")


def _check_source(unit: UnitPlan, index: int, source: SourceState) -> None:
    edits = edits_of(unit, index)
    spans = [edit for edit in edits if isinstance(edit, BytesEdit)]
    files = [edit for edit in edits if isinstance(edit, FileEdit)]
    rows = [edit for edit in edits if isinstance(edit, RowEdit)]
    twins = [edit for edit in edits if isinstance(edit, TwinEdit)]
    databases = [edit for edit in edits if isinstance(edit, DatabaseEdit)]
    ways = sum(map(bool, (spans, files, rows, twins, databases)))
    if ways > 1 or max(len(files), len(twins), len(databases)) > 1:
        raise BadPlan(f"the plan changes {source.path} in two ways at once; plan again")
    if spans:
        _check_spans(source, spans)
    elif files:
        _check_file(source, files[0])
    elif twins:
        _check_twin(unit, source, twins[0])
    elif databases:
        agrees = source.sha256 is not None and source.after_sha256 is not None
        _need(agrees and source.after_path == source.path, source)
    elif rows:
        agrees = source.sha256 is not None and source.after_sha256 is None
        _need(agrees and source.after_size is None and source.after_path == source.path, source)
    elif source.after_size is not None or source.after_sha256 is not None:
        _need((source.size, source.sha256) == (source.after_size or 0, source.after_sha256), source)


def _check_spans(source: SourceState, spans: list[BytesEdit]) -> None:
    packed = splice.is_compressed(source.path)
    splice.check_layout(spans, None if packed else source.size)
    _need(source.sha256 is not None and source.after_sha256 is not None, source)
    for edit in spans:
        _check_parts(edit, source)
    if packed:
        _need(source.after_path == source.path.removesuffix(".zst"), source)
        return
    grown = sum(splice.after_size(edit) - edit.length for edit in spans)
    _need(source.size + grown == source.after_size and source.after_path == source.path, source)


def _check_file(source: SourceState, edit: FileEdit) -> None:
    there = edit.before is not None or edit.before_sha256 is not None
    _need(there == (source.sha256 is not None) and source.after_path == source.path, source)
    if edit.before_sha256 is not None:
        _need(edit.before_sha256 == source.sha256, source)
    if edit.after is None:
        _need(source.after_sha256 is None and there, source)
        return
    digest = sha256(edit.after).hexdigest()
    _need((len(edit.after), digest) == (source.after_size, source.after_sha256), source)


def _check_twin(unit: UnitPlan, source: SourceState, edit: TwinEdit) -> None:
    """What it is made from stays as it is, or nobody could say which bytes are meant."""
    origin = next((state for state in unit.sources if state.path == edit.origin), None)
    if origin is None or origin.sha256 is None:
        raise BadPlan(f"{source.path} is made from {edit.origin}, which the plan does not know")
    stays = (origin.size, origin.sha256, origin.path)
    _need((origin.after_size, origin.after_sha256, origin.after_path) == stays, origin)
    _need(source.sha256 is None and source.after_path == source.path, source)
    _need(sum(map(splice.size_made, edit.after)) == source.after_size, source)
    _check_parts(edit, source)


def _check_parts(edit: BytesEdit | TwinEdit, source: SourceState) -> None:
    """What changes many places must say which: no text stands everywhere."""
    for part in edit.after:
        if isinstance(part, Swap):
            _need(part.old != b"" and len(part.old) == len(part.new), source)
        elif isinstance(part, Shift):
            _need(part.key != b"" and not part.key[-1:].isdigit(), source)


def _need(agrees: bool, source: SourceState) -> None:
    if not agrees:
        raise BadPlan(
            f"the edits of {source.path} do not make the file that the plan promises; plan again"
        )
