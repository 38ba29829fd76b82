"""What the rules about chains ask for: the links of some sessions, in one question."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from suture.db import Database, Kept
from suture.validators._chain import NONE, Links

_RECORDS = """
select session, n, line, "offset", length, "table", key, id, parent, kind, type, lane, "group",
       on_chain, sent, copy_of, same_id, time
from record where session in ({0}) and chained
"""
_IN_ORDER = " order by session, n"
# Of two holders of an id the later one wins. Apart from the records: to sort a few numbers costs
# nothing, and the records nearly always stand in order.
_UPS = f"""
with own as (select session, n, id, parent from record where session in ({{0}}) and chained),
holder as (select session, id, max(n) as up from own where id <> '' group by session, id)
select own.session, own.n, coalesce(holder.up, {NONE}) as up from own
left join holder on holder.session = own.session and holder.id = own.parent
order by own.session, own.n
"""
_SAME = """
select s.unit, s.session, s.id as session_id, s.path, coalesce(c.records, 0) as records
from session s left join (
    select session, count(*) as records from record where session in ({0}) and chained
    group by session
) c on c.session = s.session
where s.session in ({0}) order by s.session
"""
_SESSIONS, _TOGETHER = 200, 1 << 15  # that are asked for at once, and their records


def links(db: Database, session: int) -> Links:
    """Kept: the rules about chains ask for the same few broken sessions."""
    link(db, [session])
    return _known(db)[session]


def link(db: Database, sessions: Iterable[int]) -> None:
    """Ask for the links of all of these sessions, where more than one is looked at: a question for
    each costs ten times what its answer does."""
    known = _known(db)
    wanted = [session for session in dict.fromkeys(sessions) if session not in known]
    for start in range(0, len(wanted), _SESSIONS):
        some, records = list[Any](), 0
        for row in db.rows(_SAME.format(listed(wanted[start : start + _SESSIONS]))):
            if some and records + row.records > _TOGETHER:
                known.update(_linked(db, some))
                some, records = [], 0
            some.append(row)
            records += row.records
        known.update(_linked(db, some))


def _known(db: Database) -> dict[int, Links]:
    return db.once("links", dict[int, Links])


def _linked(db: Database, same: Sequence[Any]) -> Iterator[tuple[int, Links]]:
    """`same`: what all records of a session share, by session."""
    sessions = listed(row.session for row in same)
    ups = _parts(db.arrow(_UPS.format(sessions)), same)
    rows = db.arrow(_RECORDS.format(sessions))
    counts = {row.session: row for row in same}
    came = dict.fromkeys(rows.column("session").to_pylist())
    found = _parts(rows, (counts[session] for session in came))
    if not all(_alike(found.get(session), above) for session, above in ups.items()):
        found = _parts(db.arrow(_RECORDS.format(sessions) + _IN_ORDER), same)
    for row in same:
        shared = {"unit": row.unit, "session": row.session}
        own = found[row.session].drop_columns("session")
        records = Kept(own, {**shared, "session_id": row.session_id, "path": row.path})
        above = ups[row.session].column("up").to_pylist()
        yield row.session, Links(records, array("q", above))


def _parts(rows: pa.Table, order: Iterable[Any]) -> dict[int, pa.Table]:
    """By session, if they stand in this order and each in one piece."""
    found, start = dict[int, pa.Table](), 0
    for row in order:
        found[row.session] = rows.slice(start, row.records)
        start += row.records
    return found


def _alike(own: pa.Table | None, above: pa.Table) -> bool:
    names = ("session", "n")
    return own is not None and all(own.column(name).equals(above.column(name)) for name in names)


def listed(sessions: Iterable[int]) -> str:
    """For `in (…)`."""
    return ", ".join(str(int(session)) for session in dict.fromkeys(sessions))
