"""What a database holds at all, so that a rule which needs a torn line asks nothing when no line
is torn. Planning a query costs milliseconds, and there are dozens of rules."""

from collections.abc import Callable, Sequence
from typing import Any

Ask = Callable[[str], Sequence[Sequence[Any]]]

# Statuses of a message whose end is not stored.
UNFINISHED = "('unfinished', 'in_progress', 'streaming', 'pending', 'partial', 'running')"

# Columns of which some row has a value: known when the rows come in.
_HELD = {
    "copy": "record.copy_of",
    "same_id": "record.same_id",
    "parent": "record.parent",
    "names_session": "record.names_session",
    "problem": "record.problem",
    "rows": "record.table",
    "fork": "session.fork_of",
    "counter": "session.counter",
    "live": "session.live",
    "damaged": "damage.kind",
    "malformed": "call.malformed",
    "call:waits": "call.legal_open",
    "call:family": "call.family",
    "compaction": "compaction.session",
    "compaction:versioned": "compaction.version",
    "window": "context_entry.session",
    "artifact": "artifact.session",
    "pairing:walked": "pairing.walked",
}

# `kind:prompt` and the like: one question tells all of a family.
_FAMILIES = {
    "store": "session.store",
    "kind": "record.kind",
    "copy": "record.copy_kind",
    "damage": "damage.kind",
    "pairing": "pairing.state",
    "turn": "turn.status",
    "state": "state_kv.scope",
    "odd": "odd_part.kind",
}

# In the order in which the rows were put in, which costs no sorting: what is told in that order
# needs no closer look.
_STEPPED = """
with stepped as (
    select ordinal, time, ordinal - lag(ordinal) over () as step, lag(ordinal) over () as before,
           time - lag(time) over () as later, prev, lag(chain_hash) over () as linked,
           coalesce(session = lag(session) over (), false) as same,
           n - lag(n) over () = 1 as follows, "table" is not null as in_rows
    from record
)
select 1 from stepped where """

# Columns of which one must hold something for the question to be worth asking, and the question.
_ASKED = {
    "id:timed": ("record.id", "select 1 from record where id[-22] = '7'"),
    "lanes": ("record.lane", "select 1 from record where lane <> 'main'"),
    "progress": ("record.kind", "select 1 from record where chained and kind = 'event'"),
    "off_chain": (
        "record.on_chain",
        "select 1 from record where chained and on_chain = false",
    ),
    "headers": (
        "record.kind",
        "select 1 from record where kind = 'header' group by session having count(*) > 1",
    ),
    "record:long": ("record.length", "select 1 from record where length > 1000000"),
    "status:unfinished": ("record.status", f"select 1 from record where status in {UNFINISHED}"),
    "hash:odd": (
        "record.hash record.chain_hash",
        "select 1 from record where hash <> computed or chain_hash <> chain_computed",
    ),
    "unhashable": (
        "record.problem",
        "select 1 from record where hash is not null and computed is null "
        "and problem = 'unhashable'",
    ),
    "ordinal:odd": (
        "record.ordinal",
        _STEPPED
        + """not in_rows
          and case when same and follows then step is distinct from 1
                   else ordinal is distinct from 0 end
          and (ordinal is not null or same and before is not null)""",
    ),
    "seq:odd": (
        "record.table",
        _STEPPED
        + "in_rows and case when same and before is not null then step else ordinal end <> 1",
    ),
    "prev:odd": (
        "record.prev",
        _STEPPED + "same and prev is not null and linked is distinct from prev",
    ),
    "time:odd": (
        "record.session",
        _STEPPED + "same and (not follows or later is null or later < 0)",
    ),
    "source:long": ("source.bytes", "select 1 from source where bytes > 50000000"),
    "header_id:other": (
        "session.header_id",
        "select 1 from session where header_id <> name_id",
    ),
    "header_id:none": (
        "session.meta_required",
        "select 1 from session where meta_required and header_id is null",
    ),
    "unlinked": ("record.parent", "select 1 from session where linked is not true"),
    "first:odd": ("session.first_ordinal", "select 1 from session where first_ordinal <> 1"),
    "running": ("session.status", "select 1 from session where status = 'running'"),
    "turn:twice": ("turn.ends", "select 1 from turn where ends > 1"),
    "compaction:gone": (
        "compaction.originals_stored",
        "select 1 from compaction where not originals_stored",
    ),
    "compaction:empty": ("compaction.kept", "select 1 from compaction where kept = 0"),
    "compaction:bare": (
        "compaction.needs_summary",
        "select 1 from compaction where needs_summary and summary_n is null",
    ),
    "server": ("call.server", "select 1 from call where server"),
    "call:running": ("call.state", "select 1 from call where state = 'running'"),
    "pairing:mixed": ("call.family", "select 1 from pairing where mixed"),
    "shared_call_id": (
        "pairing.walked",
        "select 1 from call where call_id <> '' group by session, lane, call_id "
        "having count(*) > 1",
    ),
}


class Facts:
    """What is known of a database, each question asked once. Ask when all rows are in.

    The database comes with each question: one that knew its facts and was known to them would be
    left to the garbage collector, and that may run in a process that was forked from this one.
    """

    def __init__(self) -> None:
        self._held = set[str]()
        self._known = dict[str, bool]()
        self._families = dict[str, frozenset[str]]()

    def hold(self, *columns: str) -> None:
        """`table.column`: some row has a value there."""
        self._held.update(columns)

    def tell(self, fact: str, ask: Ask) -> bool:
        if fact not in self._known:
            self._known[fact] = self._looked(fact, ask)
        return self._known[fact]

    def _looked(self, fact: str, ask: Ask) -> bool:
        if fact in _HELD:
            return _HELD[fact] in self._held
        if fact in _ASKED:
            columns, question = _ASKED[fact]
            worth = not self._held.isdisjoint(columns.split())
            return worth and bool(ask(f"{question} limit 1"))
        family, _, value = fact.partition(":")
        return value in self._values(family, ask)

    def _values(self, family: str, ask: Ask) -> frozenset[str]:
        if family not in self._families:
            table, column = _FAMILIES[family].split(".")
            worth = _FAMILIES[family] in self._held
            rows = ask(f'select distinct {column} from "{table}"') if worth else ()
            self._families[family] = frozenset(value for (value,) in rows)
        return self._families[family]
