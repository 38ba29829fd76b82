"""What the three rules about unanswered calls share: the finding and the repair by policy."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from suture.db import Database
from suture.model.finding import Finding
from suture.model.operation import (
    Answer,
    DropPart,
    Note,
    Operation,
    Outcome,
    Policy,
    Repair,
    Restore,
    Safety,
    Truncate,
)
from suture.validators._links import link, links
from suture.validators._rule import Hit, hit

_FIRSTS = """
select r.session, r."group", min(r.n) as n from record r
semi join unanswered u on u.session = r.session and u."group" = r."group"
where r.chained group by all
"""
_WHY = {
    Outcome.RECORDED: "its outcome is recorded elsewhere",
    Outcome.NEVER_STARTED: "it was never started",
    Outcome.UNKNOWN: "its outcome is unknown",
}


_SKIPPED = "; a client skips the line"


def open_calls(db: Database, condition: str) -> Iterator[Any]:
    """Unanswered calls of dead sessions that nothing allows to stay open. OpenCode keeps a call
    and its result in one row: inflight-part tells of those."""
    rows = db.rows(
        f"select * from unanswered where legal_open is null and live is null and {condition} "
        "and store <> 'opencode' order by unit, session, n, part"
    )
    link(db, (row.session for row in rows if row.on_chain is False))
    yield from rows


def open_hit(db: Database, row: Any, where: str) -> Hit:
    outcome = Outcome(row.outcome)
    because = f" ({row.reason})" if row.reason else ""
    if row.later and row.sent is False and row.on_chain:
        if not because.endswith(f"{_SKIPPED})"):
            where += ", past a compaction"
    elif row.on_chain is False and _is_left(db, row):
        where += ", on a branch that was left"
    return hit(
        row,
        f"call of {row.name or 'a tool'} has no result{where}; {_WHY[outcome]}{because}",
        (row.call_id,),
        n=row.n,
        part=row.part,
        call_id=row.call_id,
        outcome=outcome.value,
        evidence=row.evidence,
        tool=row.name,
        side_effect=row.side_effect,
        later=bool(row.later),
        lane=row.lane,
    )


def _is_left(db: Database, row: Any) -> bool:
    """Whether the branch leaves the live chain above what the response answers. Where it leaves at
    the response, a resume that passes an open call by has made it."""
    found = links(db, row.session)
    if row.n not in found.records:
        return False
    first = _firsts(db).get((row.session, row.group), row.n)
    up = found.up(first)
    return up is not None and not found.is_live(up) and found.hangs_on_live(first)


def _firsts(db: Database) -> Mapping[tuple[int, str], int]:
    """n of the first record of each response that holds an unanswered call."""

    def made() -> Mapping[tuple[int, str], int]:
        return {(row.session, row.group): row.n for row in db.rows(_FIRSTS)}

    return db.once("first records of responses", made)


def repair_open_call(finding: Finding, db: Database, policy: Policy) -> Repair:
    if finding.facts["later"] or policy is Policy.ANSWER:
        return _answer(finding)
    if _is_proven(finding) and not (policy is Policy.TRUNCATE and _is_cut(finding, db)):
        return _answer(finding)
    return _take_out(finding, db, policy)


def _is_cut(finding: Finding, db: Database) -> bool:
    """Whether a call beside it has no outcome that is proven: the cut is made above both."""
    return any(
        row.outcome != Outcome.RECORDED or row.evidence is None for row in _tail(finding, db)
    )


def _tail(finding: Finding, db: Database) -> Sequence[Any]:
    """The calls that are open at the end."""
    return db.rows(
        "select * from unanswered where session = ? and lane = ? and not later "
        "and legal_open is null order by n, part",
        finding.facts["session"],
        finding.facts["lane"],
    )


def _is_proven(finding: Finding) -> bool:
    return finding.facts["outcome"] == Outcome.RECORDED and finding.facts["evidence"] is not None


def _answer(finding: Finding) -> Repair:
    facts = finding.facts
    session, n, part = int(str(facts["session"])), int(str(facts["n"])), int(str(facts["part"]))
    call_id = str(facts["call_id"])
    place = "in place" if facts["later"] else "at the end"
    safety = Safety.LOSSY if facts["later"] else Safety.SAFE
    if _is_proven(finding):
        restore = Restore(session, n, part, call_id, str(facts["evidence"]))
        return Repair(f"restore the recorded result {place}", (restore,), safety)
    outcome = Outcome(str(facts["outcome"]))
    if outcome is Outcome.RECORDED:  # recorded, but nowhere that can be quoted
        outcome = Outcome.UNKNOWN
    words = "did not run" if outcome is Outcome.NEVER_STARTED else "interrupted, result unknown"
    operation = Answer(session, n, part, call_id, outcome)
    return Repair(f"answer the call {place}: {words}", (operation,), safety)


def _take_out(finding: Finding, db: Database, policy: Policy) -> Repair:
    """One repair for the whole tail, equal for each of its calls, so that a plan holds it once."""
    session, lane = finding.facts["session"], finding.facts["lane"]
    rows = _tail(finding, db)
    key = int(str(session))
    if policy is Policy.DROP:  # a call with a proven outcome is answered, and stays
        rows = [r for r in rows if r.outcome != Outcome.RECORDED or r.evidence is None]
        tools = tuple(row.name or "a tool" for row in rows)
        drops: tuple[Operation, ...] = tuple(DropPart(key, r.n, r.part) for r in rows)
        operations = (*drops, Note(key, rows[-1].n, tools))
        return Repair("drop the unanswered calls, leave a note", operations, Safety.LOSSY)
    last = db.rows(
        "select min(n) - 1 as n from record where session = ? and lane = ? "
        'and ("group" = ? or n = ?)',
        session,
        lane,
        rows[0].group,
        rows[0].n,
    )[0].n
    # answered siblings are cut as well: the model must not forget that they ran
    gone = db.rows(
        "select name from call where session = ? and lane = ? and n > ? order by n, part",
        session,
        lane,
        last,
    )
    tools = tuple(row.name or "a tool" for row in gone)
    cut = (Truncate(key, last), Note(key, last, tools))
    return Repair("cut back to the last legal point, leave a note", cut, Safety.LOSSY)
