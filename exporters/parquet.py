"""Parquet for trajectory analysis: public names and columns, byte-reproducible files.

A table is a query (schemas/parquet/NAME.sql) cast to published columns (schemas/parquet/
columns.json); a column that no store fills is NULL. Types stay within what DuckDB, pandas, Polars,
Spark and Hugging Face read alike. No wall clock goes into a file.
"""

import json
from collections.abc import Callable, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from suture import schemas
from suture.db import Database
from suture.db.tails import tails
from suture.exporters.rows import finding_rows, plan_rows, public_ids
from suture.model.finding import Finding
from suture.model.plan import Plan

VERSION = "1"
_TYPES = {
    "string": pa.string(),
    "bool": pa.bool_(),
    "int32": pa.int32(),
    "int64": pa.int64(),
    "double": pa.float64(),
    "binary": pa.binary(),
    "timestamp": pa.timestamp("us", "UTC"),
    "list<int64>": pa.list_(pa.int64()),
    "list<string>": pa.list_(pa.string()),
}
_QUERIES = (
    "sessions",
    "turns",
    "steps",
    "messages",
    "parts",
    "tool_calls",
    "events",
    "compactions",
)

Raw = Callable[[str, int, int], bytes]  # path, offset, length → the stored bytes
Written = dict[str, Any]


@cache
def _published() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(schemas.text("parquet/columns.json"))
    return loaded


def export(
    db: Database, findings: Sequence[Finding], raw: Raw, target: Path, suture: str
) -> list[Written]:
    """Write all tables below `target` and a manifest; returns the manifest's files."""
    _prepare(db)
    written = []
    for name in _QUERIES:
        table = db.arrow(schemas.text(f"parquet/{name}.sql"))
        if name == "events":
            table = _with_raw(table, raw)
        written.append(_write(name, table, target, suture))
    found = pa.Table.from_pylist(finding_rows(db, findings))
    written.append(_write("findings", found, target, suture))
    _manifest(written, db, target, suture)
    return written


def export_plan(plan: Plan, target: Path, suture: str) -> Written:
    """Write the steps of a plan as the table `plan_steps`."""
    return _write("plan_steps", pa.Table.from_pylist(plan_rows(plan)), target, suture)


def _prepare(db: Database) -> None:
    """Tables that the queries join: how each session ends, and its public id.

    Copies of one session may lie in several files: the later ones get a number.
    """
    ends = tails(db)
    public = public_ids(db)
    db.script(
        "create temp table session_tail (session bigint, tail varchar);"
        "create temp table named (session bigint, public varchar);"
    )
    keys = pa.array([row[0] for row in ends], pa.int64())
    states = pa.array([row[7] for row in ends], pa.string())
    names = pa.array([public[row[0]] for row in ends], pa.string())
    db.load([("session_tail", pa.table({"session": keys, "tail": states}))])
    db.load([("named", pa.table({"session": keys, "public": names}))])
    db.flush()
    db.script(schemas.text("parquet/_shared.sql"))


def _with_raw(table: pa.Table, raw: Raw) -> pa.Table:
    """Add the record as text, and as bytes where text would not give the bytes back."""
    texts: list[str | None] = []
    kept: list[bytes | None] = []
    digests: list[str | None] = []
    places = zip(
        table["place_path"].to_pylist(),
        table["byte_offset"].to_pylist(),
        table["byte_length"].to_pylist(),
        strict=True,
    )
    for path, offset, length in places:
        data = raw(path, offset, length) if offset is not None else None
        try:
            texts.append(data.decode() if data is not None else None)
            kept.append(None)
        except UnicodeDecodeError:
            assert data is not None
            texts.append(data.decode("utf-8", "replace"))
            kept.append(data)
        digests.append(sha256(data).hexdigest() if data is not None else None)
    table = table.append_column("raw", pa.array(texts, pa.string()))
    table = table.append_column("raw_bytes", pa.array(kept, pa.binary()))
    return table.append_column("record_sha256", pa.array(digests, pa.string()))


def _write(name: str, table: pa.Table, target: Path, suture: str) -> Written:
    spec = _published()[name]
    shaped = _shaped(table, spec, name, suture)
    order = [(column, "ascending") for column in spec["sort"]]
    if shaped.num_rows:
        shaped = shaped.sort_by(order)
    _unique(name, shaped, spec["key"])
    path = target / name / "part-00000.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(
        shaped,
        path,
        compression="zstd",
        compression_level=3,
        row_group_size=spec["row_group"],
        write_page_index=True,
    )
    data = path.read_bytes()
    return {
        "table": name,
        "path": path.relative_to(target).as_posix(),
        "rows": shaped.num_rows,
        "bytes": len(data),
        "sha256": sha256(data).hexdigest(),
    }


def _shaped(table: pa.Table, spec: Any, name: str, suture: str) -> pa.Table:
    fields, columns = [], []
    for column, type_name, nullable in spec["columns"]:
        kind = _TYPES[type_name]
        fields.append(pa.field(column, kind, nullable))
        if column in table.column_names:
            columns.append(table[column].cast(kind))
        else:
            columns.append(pa.nulls(table.num_rows, kind))
    metadata = {
        "suture.schema_version": VERSION,
        "suture.version": suture,
        "suture.table": name,
        "suture.key": ",".join(spec["key"]),
        "suture.sort": ",".join(spec["sort"]),
    }
    return pa.table(columns, schema=pa.schema(fields, metadata=metadata))


def _unique(name: str, table: pa.Table, key: Sequence[str]) -> None:
    rows = list(zip(*(table[column].to_pylist() for column in key), strict=True))
    assert len(set(rows)) == len(rows), f"{name}: a key stands twice"


def _manifest(written: Sequence[Written], db: Database, target: Path, suture: str) -> None:
    sources = [
        {"path": row.path, "store": row.store, "bytes": row.bytes}
        for row in db.rows("select * from source order by unit, path")
    ]
    manifest = {"suture": suture, "schema_version": VERSION, "files": written, "sources": sources}
    text = json.dumps(manifest, indent=1, ensure_ascii=True) + "\n"
    (target / "_suture_manifest.json").write_text(text, "utf-8")
