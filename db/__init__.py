"""The canonical tables in DuckDB. Rules ask their questions here, in SQL."""

from suture.db.database import Database

__all__ = ["Database"]
