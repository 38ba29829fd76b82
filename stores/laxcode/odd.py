"""What is odd about a session: a healthy one has no row of these tables."""

from collections.abc import Iterator

from suture.model.rows import DamageRow, StateRow
from suture.stores._tables import row_damage
from suture.stores.laxcode.fields import Problem
from suture.stores.laxcode.keys import Keys
from suture.stores.laxcode.loading import load_faults
from suture.stores.laxcode.session import Session
from suture.stores.laxcode.window import Entry

KEPT = "kept"  # scope of state: a lost message that a window holds as it was stored

Out = Iterator[tuple[str, DamageRow | StateRow]]


def odd_rows(session: Session, unit: int, key: int, path: str, keys: Keys) -> Out:
    def damage(problem: Problem, table: str, row: str, n: int | None) -> tuple[str, DamageRow]:
        return "damage", row_damage(
            unit,
            path,
            problem.kind,
            problem.detail,
            session=key,
            n=n,
            field=problem.field or None,
            fixable=problem.kind == "foreign_key" and not session.raw,
            table=table,
            key=row,
        )

    shape = session.shape
    if any(session.problems):
        for n, problem in enumerate(session.problems):
            if problem:
                yield damage(problem, shape.raw, keys.raw(session.raw[n]), n)
    for entry in session.entries:
        for problem in entry.problems:
            place = keys.window(entry.line)
            yield damage(problem, shape.window, place, session.home(entry))
    if shape.strict:
        for problem, where in load_faults(session):
            yield damage(problem, *_place(session, where, keys), None)
        yield from _counts(session, key)
    for seq, entry in session.kept.items():
        yield "state_kv", StateRow(key, None, KEPT, str(seq), f"window {entry.version}")


def _place(session: Session, entry: Entry | None, keys: Keys) -> tuple[str, str]:
    shape = session.shape
    if entry is not None:
        return shape.window, keys.window(entry.line)
    if session.head is not None:
        return shape.head, keys.head
    if session.raw:
        return shape.raw, keys.raw(session.raw[0])
    return shape.window, keys.window(session.window[0])


def _counts(session: Session, key: int) -> Out:
    """A number that lags is told by the ordinals; one that is ahead, by the count."""
    counter, highest = session.counter, session.highest
    if counter is not None and counter - 1 > highest:
        name = session.shape.counter
        yield "state_kv", StateRow(key, None, "count", name, f"{counter - 1} {highest}")
