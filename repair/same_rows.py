"""Whether a database that was written anew still has the rows that it had then.

A later repair that was taken back leaves the same rows in other bytes.
"""

import sqlite3
from hashlib import sha256
from pathlib import Path

from suture.repair import disk, sqlite_apply
from suture.repair.rows import quoted

_ENDING = ".rows"  # of the file that keeps the digest, beside what was saved


def keep(saved: str, rebuilt: str) -> None:
    connection = sqlite3.connect(rebuilt)
    try:
        disk.replace_file(saved + _ENDING, _digest(connection).encode())
    finally:
        connection.close()


def are_kept(path: str, saved: str, scratch: str) -> bool:
    """Raises LiveWriter if the file does not stand still."""
    kept = Path(saved + _ENDING)
    if not kept.exists() or not Path(path).exists():
        return False
    with sqlite_apply.copied(path, scratch) as (connection, _):
        return _digest(connection) == kept.read_text("utf-8")


def _digest(connection: sqlite3.Connection) -> str:
    connection.text_factory = _text
    digest = sha256()
    entries = connection.execute(
        "SELECT type, name, sql, rootpage FROM sqlite_master ORDER BY type, name"
    ).fetchall()
    for kind, (_, name), sql, root in entries:
        digest.update(repr((kind, name, sql)).encode())
        if kind == ("text", b"table") and root:
            for row in connection.execute(f"SELECT * FROM {quoted(name.decode())}"):
                digest.update(repr(row).encode())
    return digest.hexdigest()


def _text(data: bytes) -> tuple[str, bytes]:
    """Told apart from a BLOB of the same bytes."""
    return "text", data
