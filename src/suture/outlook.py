"""What a resume finds in each session, before a repair and after it."""

from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from suture.effects import beside, signed_until
from suture.model.plan import Outlook, SessionPlan, Step
from suture.model.unit import Unit
from suture.reporting import resume_of
from suture.run import Judged

_SESSIONS = """
select s.session, s.unit, s.id, s.path, s.store, s.client, s.version,
       coalesce(t.messages, 0) as messages
from session s left join (
    select session, count(*) as messages from talk
    where lane = 'main' and sent is not false and on_chain is not false and not recovered
    group by session
) t using (session)
order by s.session
"""
# What may have changed the world comes first.
_OPEN = """
select c.session, c.lane, c.call_id, coalesce(c.name, 'a tool') as tool, c.outcome,
  case c.side_effect when 'external' then 0 when 'unknown' then 1 when 'local' then 2 else 3 end
  as rank
from pairing p join call c
  on c.session = p.session and c.n = p.call_n and c.part = p.call_part and c.lane = p.lane
where p.state = 'open' and p.lane not like 'snapshot:%' and p.lane <> 'window'
  and c.legal_open is null
order by c.session, rank, c.n, c.part
"""
_PAIRED = """
select p.session, p.lane, p.call_id,
       bool_or(r.on_chain is not false and r.sent is not false or p.lane <> 'main') as live
from pairing p join record r on r.session = p.session and r.n = p.call_n
where p.state = 'paired' and p.call_id in (select unnest(?))
group by p.session, p.lane, p.call_id
"""
_TOLD = {
    "recorded": "gets the result that is recorded elsewhere",
    "never_started": "is told: it did not run",
    "unknown": "is told: interrupted, result unknown",
    "found": "gets its own result",  # by a repair of something else
}
_UNSEEN = "is answered where no resume sends it: on a branch that was left, or before a compaction"

_Call = tuple[str, str]  # lane and id


class Session(Struct, frozen=True):
    id: str
    client: str
    version: str | None
    outlook: Outlook
    open: Mapping[_Call, tuple[str, str]]  # → tool and class of its outcome
    paired: Mapping[_Call, bool]  # of the calls that were asked for → whether a resume sends it


Sessions = Mapping[int, Session]  # by session key


def sessions(
    judged: Judged, units: Sequence[Unit], asked: Collection[str] = ()
) -> dict[int, Sessions]:
    """By index of the unit. `asked`: ids of calls of which it matters whether they are answered."""
    open_calls: dict[int, dict[_Call, tuple[str, str]]] = {}
    for row in judged.db.rows(_OPEN):
        open_calls.setdefault(row.session, {})[row.lane, row.call_id] = (row.tool, row.outcome)
    paired: dict[int, dict[_Call, bool]] = {}
    for row in judged.db.rows(_PAIRED, list(asked)) if asked else ():
        paired.setdefault(row.session, {})[row.lane, row.call_id] = row.live
    signed = signed_until(judged.db)
    made: dict[int, dict[int, Session]] = {unit.index: {} for unit in units}
    for row in judged.db.rows(_SESSIONS):
        if row.unit in made:
            key = row.session
            mine, around = (
                judged.by_session.get(key, ()),
                beside(judged.around, row.path, row.store),
            )
            legal, resume = resume_of(
                mine, around, row.store, row.client, row.version, signed.get(key)
            )
            calls = open_calls.get(key, {})
            outlook = Outlook(resume.resumes, legal, resume.loses, row.messages, len(calls))
            made[row.unit][key] = Session(
                row.id, row.client or row.store, row.version, outlook, calls, paired.get(key, {}),
            )  # fmt: skip
    return dict(made)


def open_ids(found: Mapping[int, Sessions]) -> frozenset[str]:
    return frozenset(
        id for mine in found.values() for session in mine.values() for _, id in session.open
    )


def refused(found: Sessions, sessions: Collection[int]) -> Sessions:
    """As they are when a provider would not take what is sent of these."""
    return {
        key: replace(one, outlook=replace(one.outlook, legal=False)) if key in sessions else one
        for key, one in found.items()
    }


def plans(before: Sessions, after: Sessions, steps: Sequence[Step]) -> tuple[SessionPlan, ...]:
    """The sessions that the steps are about, or that they change."""
    findings = [finding for step in steps for finding in step.findings]
    named = [finding.facts.get("session") for finding in findings]
    ids = {id for finding in findings for id in finding.ids}
    return tuple(
        SessionPlan(
            old.id, old.client, old.version, old.outlook, new.outlook, _gains(old, new, ids)
        )
        for key, old in before.items()
        if (new := after.get(key)) is not None and (key in named or old.outlook != new.outlook)
    )


def _gains(old: Session, new: Session, ids: Collection[str]) -> tuple[str, ...]:
    """`ids`: of the findings that the steps are for."""
    gains = [
        f"{tool} ({call[1]}) {_fate(call, outcome if call[1] in ids else 'found', new)}"
        for call, (tool, outcome) in old.open.items()
    ]
    if old.outlook.messages != new.outlook.messages:
        count = new.outlook.messages
        messages = "1 message" if count == 1 else f"{count:,} messages"
        gains.append(f"the history has {messages}, today {old.outlook.messages:,}")
    return tuple(gains)


def _fate(call: _Call, outcome: str, new: Session) -> str:
    if call in new.open:
        return "still has no result"
    if call not in new.paired:
        return "is taken out"
    return _TOLD[outcome] if new.paired[call] else _UNSEEN
