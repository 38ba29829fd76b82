"""Other ways to read the same files, for comparison: json.loads of each line, DuckDB's own reader.

    python bench/readers.py json.loads FOLDER
    python bench/readers.py duckdb FOLDER
    python bench/readers.py duckdb-claude FOLDER

Without a FOLDER it only starts, so that the cost of starting can be taken off.
"""

import json
import sys
from pathlib import Path

_COLUMNS = {
    "claude": {
        "type": "VARCHAR",
        "uuid": "VARCHAR",
        "parentUuid": "VARCHAR",
        "sessionId": "VARCHAR",
        "timestamp": "TIMESTAMP",
        "requestId": "VARCHAR",
        "message": "JSON",
        "toolUseResult": "JSON",
    },
    "codex": {"timestamp": "TIMESTAMP", "type": "VARCHAR", "ordinal": "BIGINT", "payload": "JSON"},
}


def _json_loads(folders: list[str]) -> None:
    for folder in folders:
        for path in Path(folder).rglob("*.jsonl"):
            with path.open("rb") as file:
                for line in file:
                    json.loads(line)


def _duckdb(columns: dict[str, str] | None, folders: list[str]) -> None:
    """Into a table, with these columns or with those that DuckDB finds in the first records."""
    import duckdb  # noqa: PLC0415  json.loads shall not pay for it

    connection = duckdb.connect()
    types = ", ".join(f"{name}: '{kind}'" for name, kind in (columns or {}).items())
    how = f"columns={{{types}}}" if columns else "union_by_name=true"
    for folder in folders:
        connection.execute(
            f"create table record as from read_json('{folder}/**/*.jsonl', "
            f"format='newline_delimited', {how})"
        )


if __name__ == "__main__":
    if sys.argv[1] == "json.loads":
        _json_loads(sys.argv[2:])
    elif sys.argv[1] == "duckdb":
        _duckdb(None, sys.argv[2:])
    else:
        _duckdb(_COLUMNS[sys.argv[1].removeprefix("duckdb-")], sys.argv[2:])
