"""The canonical tables in DuckDB. Rules ask their questions here, in SQL."""

from suture.db.database import Database
from suture.db.kept import Kept, each
from suture.db.only import keep_only

__all__ = ["Database", "Kept", "each", "keep_only"]
