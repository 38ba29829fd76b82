"""The canonical tables in DuckDB. Rules ask their questions here, in SQL."""

from suture.db.database import Database
from suture.db.kept import Kept, each

__all__ = ["Database", "Kept", "each"]
