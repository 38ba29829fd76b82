"""Some sessions of those that were read: a file is read whole, whatever was asked for."""

from collections.abc import Collection

from suture.db.database import Database

_HOLDING = """
select table_name as name, column_name as by from information_schema.columns
join information_schema.tables using (table_name)
where table_type = 'BASE TABLE' and table_name <> 'session' and column_name in ('session', 'unit')
order by all
"""


def keep_only(db: Database, sessions: Collection[str]) -> None:
    """Drop the rows of other sessions, and what is known of files that none of these lies in."""
    db.rows("delete from session where not list_contains(?, id)", sorted(sessions))
    for table in db.rows(_HOLDING):
        kept = f'select "{table.by}" from session'
        db.script(f'delete from "{table.name}" where "{table.by}" not in ({kept})')
