"""From what the user typed to units: look at each file's start, group by store."""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from suture.model.errors import NothingThere, NothingToRead
from suture.model.packed import zstd
from suture.model.unit import FILE, UNKNOWN, Unit
from suture.stores import _sqlite
from suture.stores._disk import DiskFiles
from suture.stores._late import late
from suture.stores._store import SQLITE, TABLES, Head, Store
from suture.stores._walk import Unreadable, expand, reason_of, walk

HEAD = 1 << 16
_DATABASE_NAMES = (".db", ".sqlite", ".sqlite3")
_MOST_REASONS = 3


class Discovery(Struct, frozen=True):
    units: tuple[Unit, ...]
    skipped: tuple[Unreadable, ...]  # special files and link loops: not damage, one line each
    unreadable: tuple[Unreadable, ...]  # permission, I/O errors: findings


def discover(
    typed: Sequence[str],
    files: DiskFiles,
    stores: Sequence[Store],
    as_format: str | None = None,
    sessions: Sequence[str] = (),
    where: str | None = None,
    shares: int = 1,
) -> Discovery:
    """Units of everything below `typed`. Raises NothingToRead when there is nothing to judge.
    Of a server no more is copied than the `sessions`, if any are named, that `where` holds for; a
    large one is not copied yet if that can be done in several `shares`."""
    skipped: list[Unreadable] = []
    unreadable: list[Unreadable] = []
    claimed: dict[str, list[str]] = {}
    databases: list[str] = []  # SQLite files that somebody reads
    seen: set[tuple[int, int]] = set()
    urls = [text for text in typed if "://" in text]
    servers = _copies(urls, files, stores, as_format, sessions, where, shares) if urls else {}
    for path, name in servers.items():
        claimed.setdefault(name, []).append(path)
    paths = [text for text in typed if "://" not in text]
    for path, explicit in walk(expand(paths), skipped, unreadable, seen):
        try:
            head = read_head(path)
        except (OSError, sqlite3.Error) as error:
            unreadable.append(Unreadable(path, reason_of(error)))
            continue
        if as_format and (why := _another_kind(head, as_format, stores)):
            if explicit:  # beside what a folder holds, other files may lie
                unreadable.append(Unreadable(path, why))
            continue
        store = as_format or claimant(head, stores)
        if head.tables is not None and store != FILE and (store or _is_kept_beside(head)):
            databases.append(path)
        if store is None and (why := _no_database(head, stores)):
            unreadable.append(Unreadable(path, why))
            continue
        if store is None and explicit:
            own = ", --map FILE reads tables of your own" if head.tables is not None else ""
            raise NothingToRead(
                f"{path}: no session store that suture knows; `suture stores` lists them, "
                f"--as FORMAT names one{own}"
            )
        if store is not None:
            claimed.setdefault(store, []).append(path)
            skipped += [] if as_format else _left_out(head, store, stores)
    units = [
        unit
        for store in stores
        if store.name in claimed
        for unit in store.units(files.by_name(), claimed[store.name])
    ]
    units += _damaged(files, databases)
    if not units:
        reasons = [f"{found.path}: {found.reason}" for found in unreadable[:_MOST_REASONS]]
        if reasons:
            raise NothingToRead("; ".join(reasons))
        raise NothingThere(f"{', '.join([*servers, *paths])}: no session store found there")
    ordered = sorted(units, key=lambda unit: unit.id)
    numbered = tuple(replace(unit, index=index) for index, unit in enumerate(ordered))
    return Discovery(numbered, tuple(skipped), tuple(unreadable))


def _copies(
    urls: Sequence[str],
    files: DiskFiles,
    stores: Sequence[Store],
    as_format: str | None,
    sessions: Sequence[str],
    where: str | None,
    shares: int,
) -> dict[str, str]:
    from suture.stores._on_server import copies  # noqa: PLC0415  # drivers, for URLs alone

    def claiming(head: Head) -> str | None:
        return as_format or claimant(head, stores)

    return copies(urls, files, stores, claiming, sessions, where, shares)


def read_head(path: str) -> Head:
    with open(path, "rb", buffering=0) as file:
        data = file.read(HEAD)
    if path.endswith(".zst"):
        try:
            with zstd.open(path) as stream:
                data = stream.read(HEAD)
        except (EOFError, zstd.ZstdError):
            data = b""
    tables, fault = None, None
    if data.startswith(SQLITE) or (not data and Path(path + "-wal").exists()):
        try:
            tables = _sqlite.describe(path) or _sqlite.describe_recovered(path)
        except sqlite3.DatabaseError as error:
            tables, fault = _sqlite.describe(path, as_far_as_it_goes=True), reason_of(error)
    return Head(path, data, tables, fault)


def claimant(head: Head, stores: Sequence[Store]) -> str | None:
    """Who reads it, by its content; of lines that nobody knows UNKNOWN."""
    for store in (*_named(head, stores), *stores):
        if store.recognises(head):
            return store.name
    plain = head.path.removesuffix(".zst")
    return UNKNOWN if plain.endswith(".jsonl") else None


def _named(head: Head, stores: Sequence[Store]) -> list[Store]:
    """Those whose client names its files so."""
    name = os.path.basename(head.path)
    return [store for store in stores if store.names and name.startswith(store.names)]


def _left_out(head: Head, name: str, stores: Sequence[Store]) -> Iterator[Unreadable]:
    """A program may keep sessions of two frameworks in its one database; only those of one are
    read."""
    if head.tables is None or name == FILE:
        return
    for other in stores:
        if other.name not in (name, FILE) and other.recognises(head):
            words = f"tables of {other.name}, which --as {other.name} reads"
            yield Unreadable(head.path, words)


def _another_kind(head: Head, name: str, stores: Sequence[Store]) -> str | None:
    """Why a database is not what --as says: read as lines it would be all damage, and read by the
    tables of another store it would hold nothing, and be called clean."""
    store = next((store for store in stores if store.name == name), None)
    if head.tables is None or store is None or name == FILE:
        return None
    if not store.holds >= TABLES:
        return f"it is a SQLite database, and {name} keeps its sessions in text files"
    if head.tables and head.fault is None and not store.claims(head):
        return f"its tables are not those of {name}"
    return None


def _is_kept_beside(head: Head) -> bool:
    kept: bool = late("suture.stores.sqlite.read:is_kept_beside")(head.tables)
    return kept


def _damaged(files: DiskFiles, databases: Sequence[str]) -> list[Unit]:
    """The files that are damaged below their sessions."""
    found: list[Unit] = late("suture.stores.sqlite.read:damaged")(files, databases)
    return found


def _no_database(head: Head, stores: Sequence[Store]) -> str | None:
    """Why what is named like a database, or as a client names its own, holds none."""
    if head.fault is not None:
        return head.fault
    if not head.data or not head.path.endswith(_DATABASE_NAMES):
        return None
    if head.tables is None:
        return "it is named like a database and is none"
    owner = next((store for store in _named(head, stores) if store.holds >= TABLES), None)
    talk = any(word in name for name in head.tables for word in ("session", "message"))
    if talk and owner is not None:
        return (
            f"it is named as {owner.name} names its database, and not all of the tables are there: "
            "a migration may have been cut off"
        )
    if not head.tables and head.data[18:19] == b"\2" and not _sqlite.log_size(head.path):
        return (
            "it holds no table, and the -wal that it is written through is not beside it: copy "
            "both again, while no client runs"
        )
    return None
