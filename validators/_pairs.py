"""What the rules about calls and results share."""

from collections.abc import Iterator
from typing import Any

from suture.db import Database
from suture.model.finding import Finding
from suture.model.operation import DropPart, Repair, Safety


def history(alias: str) -> str:
    """A condition: not the copy of the history inside a compaction record or a context window.

    What is wrong in the copy alone is for the rules about compaction.
    """
    return f"({alias}.lane <> 'window' and {alias}.lane not like 'snapshot:%')"


# Results that are no plain answer, with the call and the earlier result, if any.
_UNPAIRED = f"""
create temp table unpaired as
with few as (
    select *, result_n as n from pairing where state <> 'paired' and result_n is not null
),
named as (select session, call_n as n from few union select session, first_n from few),
other as (select session, n, sent from record semi join named using (session, n))
select r.*, p.state, p.call_n, p.call_part, p.first_n, p.first_part, c.sent as call_sent,
       f.sent as first_sent
from few p join located_result_in('few') r
    on r.session = p.session and r.n = p.n and r.part = p.result_part and r.lane = p.lane
left join other c on c.session = p.session and c.n = p.call_n
left join other f on f.session = p.session and f.n = p.first_n
where {history("r")}
"""


def results(db: Database, state: str) -> Iterator[Any]:
    """Results whose pairing has this state, with the call and the earlier result, if any."""
    db.once("unpaired", lambda: db.script(_UNPAIRED))
    yield from db.rows(
        "select * from unpaired where state = ? order by unit, session, n, part", state
    )


def unsent(*sent: bool | None) -> str:
    """What a message says where these records are not all in what a client sends: what it says of
    them together then stops no request. `on_resume.json` looks for the last three words."""
    if all(one is not False for one in sent):
        return ""
    none = all(one is False for one in sent)
    return "; it is not sent any more" if none else "; not all of it is sent any more"


def number(finding: Finding, fact: str) -> int:
    value = finding.facts[fact]
    assert isinstance(value, int)
    return value


def take_out_result(finding: Finding, title: str) -> Repair:
    """The block goes; a record without any other goes with it, and its children move up."""
    session, n, part = (number(finding, fact) for fact in ("session", "n", "part"))
    return Repair(title, (DropPart(session, n, part),), Safety.LOSSY)


def take_out_pair(finding: Finding) -> Repair:
    session = number(finding, "session")
    drops = [DropPart(session, number(finding, "n"), number(finding, "part"))]
    if finding.facts["result_n"] is not None:
        drops.append(DropPart(session, number(finding, "result_n"), number(finding, "result_part")))
    return Repair("drop the call and its result together", tuple(drops), Safety.MANUAL)
