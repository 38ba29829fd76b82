"""Rows about what is wrong: values, references, and rows that their log contradicts."""

from collections.abc import Iterator
from typing import Any

from suture.model.rows import DamageRow, StateRow
from suture.stores.opencode.log import differences
from suture.stores.opencode.sendable import unsendable
from suture.stores.opencode.session import Session
from suture.stores.opencode.stored import EVENT, Item
from suture.stores.opencode.values import Fault

Out = Iterator[tuple[str, tuple[Any, ...]]]


def damage_of(session: Session, n: int, item: Item) -> Out:
    if item.fault is not None:
        yield "damage", damage(session, n, item, item.fault, "data")


def damage(session: Session, n: int, item: Item, fault: Fault, field: str) -> DamageRow:
    in_file = item.path is not None
    return DamageRow(
        unit=session.unit,
        path=item.path or session.stored.path,
        kind=fault.kind,
        line=1 if in_file else None,
        offset=0 if in_file else None,
        length=(item.number("size") or 0) if in_file else None,
        detail=fault.detail,
        session=session.key,
        n=n,
        ids=[item.id],
        field=field,
        refused=fault.blocks,
        fixable=fault.blocks and item.table != EVENT and session.log.wanted(item) is None,
        table=None if in_file else item.table,
        key=None if in_file else item.key,
    )


def unsendable_part(session: Session, n: int, item: Item, role: Any) -> Out:
    """To be taken out, unless the log knows of it what can be sent."""
    if (why := unsendable(item.body, role)) is None:
        return
    wanted = session.log.wanted(item)
    fault = Fault("bad_shape", f"{why}, with which no prompt can be sent", True)
    row = damage(session, n, item, fault, "data")
    fixable = wanted is None or unsendable(wanted, role) is not None
    yield "damage", row._replace(field=None, fixable=fixable)


def references(session: Session) -> Out:
    for problem in session.stored.problems:
        more = f"; {problem.rows} rows do" if problem.rows > 1 else ""
        yield (
            "damage",
            DamageRow(
                session.unit,
                session.stored.path,
                "foreign_key",
                None,
                None,
                None,
                problem.detail + more,
                session=session.key,
                fixable=problem.removable,
                table=problem.table,
                key=problem.key,
            ),
        )
    if session.stored.events and session.stored.sequence is None:
        yield "state_kv", StateRow(session.key, None, "missing_row", "event_sequence", None)


def projection(session: Session) -> Out:
    for found in differences(session.stored, session.log):
        yield (
            "damage",
            DamageRow(
                session.unit,
                session.stored.path,
                "projection",
                None,
                None,
                None,
                found.detail,
                session=session.key,
                n=session.n_of.get((found.table, found.id)),
                ids=[found.id],
                field=f"{found.what} ahead" if found.ahead else found.what,
                table=found.table,
                key=Item(found.table, found.id, {}).key,
            ),
        )
