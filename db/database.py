"""One DuckDB connection that holds the canonical tables of a run.

Only what DuckDB 1.5.6 and 2.0 share is used: execute/fetchall, register, to_arrow_table.
"""

import shutil
import tempfile
import weakref
from collections import defaultdict, namedtuple
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from contextlib import suppress
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa

from suture import schemas
from suture.db.facts import Facts
from suture.db.pairing import COUNTS, PLAIN_PAIRS, REST, Pair, pairs, shared_ids
from suture.db.repeated import SAME_LINES, repeated
from suture.db.tables import ddl, view_of_lent

if TYPE_CHECKING:
    import duckdb

# Beyond it DuckDB writes to its temporary folder; a query that needs more at once gets more.
_MEMORY, _LITTLE_MEMORY, _MOST_MEMORY, _RESTING = 128, 64, 4096, 16  # MB
_MANY = 300_000  # rows: more than one range has
_BATCH = 100_000  # rows of one table that wait in Arrow, where there is more than that
_FEW = 15_000  # rows that are written sooner than lent: every query pays to open a lent table

T = TypeVar("T")


def _has_any(values: pa.ChunkedArray) -> bool:
    return bool(values.null_count < len(values))


def _length(tables: Iterable[pa.Table]) -> int:
    return sum(table.num_rows for table in tables)


@cache
def row_type(names: tuple[str, ...]) -> Any:
    """Making a tuple type compiles code: once for each shape of a row."""
    return namedtuple("Row", names, rename=True)


class Database:
    """Tables as in model/rows.py, `pairing`, and the views of schemas/canonical.sql."""

    def __init__(self, target: str = ":memory:") -> None:
        self._made: dict[Hashable, Any] = {}
        self._facts = Facts()
        self._memory = _MEMORY
        self._rows, self._many, self._batch = 0, _MANY, _MANY
        self._stored = set[str]()
        self._waiting: dict[str, list[pa.Table]] = defaultdict(list)
        self._target = target

    @cached_property
    def _con(self) -> "duckdb.DuckDBPyConnection":
        """Made when rows come in: its threads would not survive a fork before that, and processes
        that only read do without."""
        import duckdb  # noqa: PLC0415

        spill = tempfile.mkdtemp(prefix="suture-")
        # each round of a plan drops a database: the folder goes with it
        self._drop_spill = weakref.finalize(self, shutil.rmtree, spill, ignore_errors=True)
        made = duckdb.connect(
            self._target,
            config={
                # The default would download an extension the moment a query names one.
                "autoinstall_known_extensions": "false",
                "autoload_known_extensions": "false",
                "memory_limit": f"{_MEMORY}MB",
                "temp_directory": spill,
                "preserve_insertion_order": "true",
                "threads": "1",
            },
        )
        # It would be drawn on stdout once a query takes two seconds, in the midst of a report.
        made.execute("set enable_progress_bar = false")
        made.execute(ddl())
        return made

    def connect(self) -> None:
        """Before the first rows come, where there is time."""
        assert self._con is not None

    def waiting(self) -> list[tuple[str, pa.Table]] | None:
        """All rows so far, as long as none has reached DuckDB."""
        if "_con" in self.__dict__:
            return None
        return [(name, rows) for name, some in self._waiting.items() for rows in some]

    def load(self, tables: Iterable[tuple[str, pa.Table]]) -> None:
        """Take rows in; they reach DuckDB in large batches or are lent to it, thousands of small
        inserts cost more than reading the files."""
        for name, table in tables:
            waiting = self._waiting[name]
            waiting.append(table)
            if _length(waiting) >= self._batch:
                self._insert(name)

    def load_part(self, tables: Iterable[tuple[str, pa.Table]]) -> None:
        """Rows of what is still being read: that is large, and takes memory as well."""
        if self._many == _MANY:
            self._many = self._batch = _BATCH
            self._allow(_LITTLE_MEMORY)
        self.load(tables)

    def lend(self, but: Collection[str] = ()) -> None:
        """Let DuckDB read what waits where it lies, so that it writes none of it. Call once, after
        the last load; only the tables named in `but` can be altered then."""
        lent = [
            name
            for name, some in self._waiting.items()
            if name not in self._stored and name not in but and _length(some) >= _FEW
        ]
        for name in lent:
            rows, held = self._gathered(name)
            self._con.register(f"{name}_lent", rows.select(held))
            self._run(view_of_lent(name, held))
        if "record" in lent:
            self._run(schemas.text("lent.sql"))

    def _gathered(self, name: str) -> tuple[pa.Table, list[str]]:
        """What waits for a table, and the columns of which some row has a value."""
        # a column without any value has no type where no other table knows one
        rows = pa.concat_tables(self._waiting.pop(name), promote_options="default")
        held = [column for column in rows.column_names if _has_any(rows[column])]
        self._facts.hold(*(f"{name}.{column}" for column in held))
        return rows, held

    def _insert(self, name: str) -> None:
        rows, _ = self._gathered(name)
        self._rows += len(rows)
        self._stored.add(name)
        self._con.register("incoming", rows)
        self._run(f'insert into "{name}" select * from incoming')
        self._con.unregister("incoming")
        if self._rows >= self._many:
            del rows
            self._save_memory()

    def _save_memory(self) -> None:
        if self._batch >= _BATCH:
            self._batch = _BATCH // 4
            self._allow(_LITTLE_MEMORY)
            self._con.execute("set checkpoint_threshold = '1TB'")
            self.flush()
        pa.default_memory_pool().release_unused()

    def flush(self) -> None:
        while self._waiting:  # an insert may flush what waits beside it
            self._insert(next(iter(self._waiting)))

    def derive(self) -> None:
        """Fill what follows from the loaded rows. Call once, after the last load and flush."""
        self._run(PLAIN_PAIRS)
        self._facts.hold("pairing.state")
        plain, calls, results = self._run(COUNTS)[1][0]
        if not plain == calls == results:
            self._walk()
        if self.has("pairing:open"):
            self._run(schemas.text("unanswered.sql"))

    def _walk(self) -> None:
        """Pair what DuckDB did not."""
        _, calls = self._run(REST.format("call"))
        _, results = self._run(REST.format("result"))
        shared = shared_ids(calls)
        links = self._links(shared)
        again = repeated(self._run(SAME_LINES, [sorted(shared)])[1], links) if shared else []
        gone = {(pair.session, pair.call_n, pair.call_part) for pair in again}
        calls = [call for call in calls if (call[0], call[3], call[4]) not in gone]
        rows = [*pairs(calls, results, links), *again]
        arrays = [pa.array(values) for values in zip(*rows, strict=True)]
        self.load([("pairing", pa.table(arrays, names=list(Pair._fields)))])
        self.flush()
        self._facts.hold("pairing.walked")

    def _links(self, call_ids: Collection[str]) -> dict[tuple[int, int], int]:
        """What the results of these calls hang on, in stores that link records."""
        if not call_ids:
            return {}
        _, found = self._run(
            "select r.session, r.n, up.n from result r "
            "join record own on own.session = r.session and own.n = r.n "
            "join record up on up.session = own.session and up.id = own.parent "
            "where list_contains(?, r.call_id) order by up.n",
            [sorted(call_ids)],
        )
        return {(session, n): up for session, n, up in found}

    def has(self, needed: str) -> bool:
        """Of what there is any: `damage:torn_tail`, `pairing:orphan`, `copy` …, or several of
        these facts with ` & ` between them."""
        return all(self._facts.tell(fact, self._fetched) for fact in needed.split(" & "))

    def _fetched(self, sql: str) -> Sequence[Sequence[Any]]:
        return self._run(sql)[1]

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """What several rules need and only one should pay for."""
        if key not in self._made:
            self._made[key] = make()
        made: T = self._made[key]
        return made

    def forget(self) -> None:
        """What rules had made once, but for tables: of a huge session it is as large as that. The
        rows may go to the disk: what is still asked are a few."""
        self._made = {key: made for key, made in self._made.items() if made is None}
        if self._rows >= _BATCH:
            self._rest()

    def _rest(self) -> None:
        import duckdb  # noqa: PLC0415

        with suppress(duckdb.OutOfMemoryException):
            self._allow(_RESTING)

    def script(self, sql: str) -> None:
        """Statements without a result: views and temporary tables."""
        self._run(sql)

    def rows(self, sql: str, *params: object) -> Sequence[Any]:
        """The rows of a query, each a named tuple of its columns."""
        names, fetched = self._run(sql, params)
        if not fetched:
            return []
        row = row_type(tuple(names))
        for at, values in enumerate(fetched):  # in place: both lists at once take twice the room
            fetched[at] = row(*values)
        return fetched

    def _run(self, sql: str, params: Sequence[object] = ()) -> tuple[list[str], list[Any]]:
        """Column names and rows."""

        def ask() -> tuple[list[str], list[Any]]:
            cursor = self._con.execute(sql, params) if params else self._con.execute(sql)
            return [column[0] for column in cursor.description or ()], cursor.fetchall()

        return self._with_room(ask)

    def _with_room(self, ask: Callable[[], T]) -> T:
        """With more memory where a query cannot do with what there is."""
        import duckdb  # noqa: PLC0415

        while True:
            try:
                return ask()
            except duckdb.OutOfMemoryException:
                if self._memory >= _MOST_MEMORY:
                    raise
                self._allow(self._memory * 4)

    def _allow(self, memory: int) -> None:
        self._memory = memory
        self._con.execute(f"set memory_limit = '{memory}MB'")

    def ask(self, query: str) -> tuple[list[str], list[tuple[object, ...]]]:
        """Column names and plain rows of a query that a user typed; nothing of an empty one."""
        cursor = self._con.execute(query)
        if cursor is None:
            return [], []
        return [column[0] for column in cursor.description or ()], cursor.fetchall()

    def arrow(self, sql: str) -> pa.Table:
        def ask() -> pa.Table:
            return self._con.sql(sql).to_arrow_table()

        return self._with_room(ask)

    def lock(self) -> None:
        """From here on queries can neither reach files nor the network, nor change settings."""
        self._allow(_MOST_MEMORY)
        self._con.execute("set enable_external_access = false")
        self._con.execute("set lock_configuration = true")

    def close(self) -> None:
        if "_con" in self.__dict__:
            self._con.close()
            self._drop_spill()
