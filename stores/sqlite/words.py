"""What is wrong with a file, in words."""

from collections.abc import Iterator, Sequence

from suture.model.condition import Fault, TableLoss
from suture.stores._line import counted
from suture.stores.sqlite.integrity import Complaint
from suture.stores.sqlite.log import Log
from suture.stores.sqlite.salvage import Salvage
from suture.stores.sqlite.undo_log import UndoLog

_SESSIONS = 4  # that a message names
_LONGEST = 120  # characters of what SQLite says


def undo_faults(log: UndoLog | None) -> Iterator[Fault]:
    if log is None:
        return
    if log.missing:
        yield Fault(
            "hot_journal",
            None,
            f"a transaction was cut off, and the -journal can put back {log.pages} of "
            f"{log.pages + log.missing} pages: the rest stays half written",
        )
        return
    pages = counted(log.pages, "page", "pages")
    detail = f"a transaction was cut off; the next to open the file puts back {pages}"
    yield Fault("hot_journal", None, detail, serious=False)


def log_faults(log: Log, missing: int) -> Iterator[Fault]:
    if missing:
        frames = counted(missing, "committed frame", "committed frames")
        yield Fault(
            "wal_broken",
            None,
            f"the -shm counts {frames} that the -wal does not hold: it was cut, or left behind",
        )
    if not log.is_broken:
        return
    why = "a frame before them is damaged" if log.header else "its header is damaged"
    if not log.main:
        why = "the database file is empty, and the next to open it deletes the -wal"
    commits = counted(log.commits, "commit", "commits")
    frames = counted(log.frames, "frame", "frames")
    yield Fault("wal_broken", None, f"SQLite ignores {commits} of the -wal in {frames}: {why}")


def table_faults(
    said: Sequence[Complaint], found: Salvage, lost: Sequence[TableLoss]
) -> Iterator[Fault]:
    of = {one.table: one for one in lost}
    tables = {complaint.table: None for complaint in said if complaint.table is not None}
    tables |= {name: None for name, copied in found.tables.items() if copied.holes}
    for table in sorted(tables):
        mine = [complaint for complaint in said if complaint.table == table]
        detail = f"{table}: {_table(mine, table, found)}{_loss(of.get(table))}"
        if table in found.tables and (adopted := found.tables[table].adopted):
            pages = counted(
                adopted, "page that nothing leads to is", "pages that nothing leads to are"
            )
            detail += f"; {pages} taken for its own"
        yield Fault("db_corrupt", table, detail)
    rest = [c.text for c in said if c.table is None]
    if tables:  # pages that nothing leads to follow from the damage of a table
        rest = [text for text in rest if "never used" not in text]
    if rest:
        yield Fault("db_corrupt", None, f"the file: {_some(rest)}")
    if found.failed:
        yield Fault("db_corrupt", None, f"the schema: {_some(found.failed)}")
    if found.strays:
        pages = counted(found.strays, "page holds", "pages hold")
        yield Fault("db_corrupt", None, f"the file: {pages} rows that fit no table")


def _table(said: Sequence[Complaint], table: str, found: Salvage) -> str:
    own = [complaint.text for complaint in said if complaint.index is None]
    if own:
        return _some(own)
    indexes = sorted({complaint.index for complaint in said if complaint.index is not None})
    if indexes:
        verb = "is" if len(indexes) == 1 else "are"
        return f"{', '.join(indexes)} {verb} damaged: {_some([c.text for c in said])}"
    holes = len(found.tables[table].holes)
    return counted(holes, "page cannot be read", "pages cannot be read")


def _loss(loss: TableLoss | None) -> str:
    if loss is None:
        return ""
    if loss.lost is None:
        return f"; {counted(loss.kept, 'row', 'rows')} can be read, how many are lost nothing tells"
    if not loss.lost:
        whole = "its row" if loss.kept == 1 else f"all {loss.kept:,} rows"
        return f"; {whole} can be read"
    whose = ", ".join(
        f"{s.session} {s.lost:,} of {s.lost + s.kept:,}" for s in loss.sessions[:_SESSIONS]
    )
    more = loss.sessions[_SESSIONS:]
    others = f" and {counted(len(more), 'more session', 'more sessions')}" if more else ""
    named = f": {whose}{others}" if whose else ""
    rows = loss.kept + loss.lost
    of = f"{loss.lost:,} of {rows:,} {'row' if rows == 1 else 'rows'}"
    return f"; {of} {'is' if loss.lost == 1 else 'are'} lost{named}"


def _some(texts: Sequence[str]) -> str:
    first = texts[0][:_LONGEST]
    return f"{first}, and {len(texts) - 1:,} more" if len(texts) > 1 else first
