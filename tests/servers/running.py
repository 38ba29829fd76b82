"""PostgreSQL and MariaDB on loopback, each in a folder of its own, and databases on them."""

import os
import secrets
import shutil
import socket
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

USER, PASSWORD = "keeper-of-rows", "n0t:to@be/seen?"
DIALECTS = ("postgresql", "mysql")
_LONGEST_START = 60

_NAMES = {
    "laxcode": ("session", "raw_message", "context_window_message"),
    "adk": ("sessions", "events", "app_states", "user_states"),
    "agents": ("agent_sessions", "agent_messages"),
    "langgraph": ("checkpoints", "checkpoint_blobs", "checkpoint_writes"),
    "seqstore": ("sessions", "messages", "compactions"),
}
_DDL = Path(__file__).with_name("tables")


@dataclass
class Base:
    """One database, and how its owner looks at it."""

    dialect: str
    port: int
    name: str
    tables: str  # laxcode | adk | agents | langgraph | seqstore
    open: Callable[[], Any] = field(repr=False)

    @property
    def url(self) -> str:
        user, password = quote(USER), quote(PASSWORD, safe="")
        return f"{self.dialect}://{user}:{password}@127.0.0.1:{self.port}/{self.name}"

    @property
    def shown(self) -> str:
        return f"{self.dialect}://127.0.0.1:{self.port}/{self.name}"

    def run(self, sql: str, *values: object) -> list[tuple[object, ...]]:
        with closing(self.open()) as connection, closing(connection.cursor()) as cursor:
            cursor.execute(sql, values or None)
            return list(cursor.fetchall()) if cursor.description else []

    def dump(self) -> dict[str, list[tuple[object, ...]]]:
        names = _NAMES[self.tables]
        return {name: sorted(self.run(f"select * from {name}"), key=repr) for name in names}

    def fill(self, script: Path) -> None:
        """The rows of a case, which is a script for SQLite."""
        with closing(sqlite3.connect(":memory:")) as source, closing(self.open()) as target:
            source.executescript(script.read_text("utf-8"))
            found = source.execute("select name from sqlite_master where type = 'table'")
            tables = [name for (name,) in found if not name.startswith("sqlite_")]
            order = ("session", "sessions", "agent_sessions", "raw_message")
            for table in sorted(tables, key=lambda name: name not in order):
                rows = source.execute(f"select * from {table}").fetchall()
                names = [c[1] for c in source.execute(f"pragma table_info({table})")]
                if rows:
                    self._insert(target, table, names, rows)
        numbered = {"laxcode": "context_window_message", "agents": "agent_messages"}
        if self.dialect == "postgresql" and (table := numbered.get(self.tables)):
            last = f"(select max(id) from {table})"
            self.run(f"select setval(pg_get_serial_sequence('{table}', 'id'), {last})")

    def _insert(self, target: Any, table: str, names: list[str], rows: list[Any]) -> None:
        mark = "`" if self.dialect == "mysql" else '"'
        columns = ", ".join(f"{mark}{name}{mark}" for name in names)
        always = " overriding system value" if self.dialect == "postgresql" else ""
        marks = ", ".join(["%s"] * len(names))
        with closing(target.cursor()) as cursor:
            for row in rows:
                cursor.execute(f"insert into {table} ({columns}){always} values ({marks})", row)


@dataclass
class Running:
    dialect: str
    port: int
    admin: Callable[[str], Any]  # a connection to a database, as the owner of the server

    def empty(self, tables: str, template: str | None = None) -> Base:
        """A database without tables, or a copy of another one (PostgreSQL)."""
        name = f"{tables}_{secrets.token_hex(3)}"
        first = {"postgresql": "postgres", "mysql": "mysql"}[self.dialect]
        with closing(self.admin(first)) as connection, closing(connection.cursor()) as cursor:
            cursor.execute(f"create database {name}{f' template {template}' if template else ''}")
        return Base(self.dialect, self.port, name, tables, lambda: self.admin(name))

    def database(self, tables: str) -> Base:
        base = self.empty(tables)
        name = base.name
        statements = (_DDL / f"{tables}.{self.dialect}.sql").read_text("utf-8").split(";")
        for sql in statements:
            if sql.strip():
                base.run(sql)
        if self.dialect == "postgresql":
            rights = "select, insert, update, delete on all tables in schema public"
            base.run(f'grant {rights} to "{USER}"')
            base.run(f'grant usage on all sequences in schema public to "{USER}"')
        else:
            base.run(f"grant select, insert, update, delete on {name}.* to '{USER}'@'%'")
        return base


def missing(dialect: str) -> str | None:
    """Why no server of this kind can be started here."""
    if dialect == "postgresql":
        return None if _postgresql_programs() else "no PostgreSQL: apt-get install postgresql"
    return None if shutil.which("mariadbd") else "no MariaDB: apt-get install mariadb-server"


def _postgresql_programs() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


@contextmanager
def started(dialect: str) -> Iterator[Running]:
    with tempfile.TemporaryDirectory(prefix="suture-servers-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        with (_postgresql if dialect == "postgresql" else _mariadb)(folder) as running:
            yield running


def _free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _as(user: str, command: list[str]) -> list[str]:
    """The servers refuse to run as root."""
    return ["runuser", "-u", user, "--", *command] if os.getuid() == 0 else command


@contextmanager
def _process(command: list[str], log: Path, connect: Callable[[], Any]) -> Iterator[None]:
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output)
        try:
            _wait(process, log, connect)
            yield
        finally:
            process.terminate()
            process.wait(timeout=60)


def _wait(process: "subprocess.Popen[bytes]", log: Path, connect: Callable[[], Any]) -> None:
    until = time.monotonic() + _LONGEST_START
    while True:
        try:
            connect().close()
            return
        except Exception:
            if process.poll() is not None or time.monotonic() > until:
                raise RuntimeError(log.read_text("utf-8", "replace")[-2000:]) from None
            time.sleep(0.2)


@contextmanager
def _postgresql(folder: Path) -> Iterator[Running]:
    import psycopg  # noqa: PLC0415 (an extra)

    programs = _postgresql_programs()
    assert programs is not None
    port, data = _free_port(), folder / "data"
    data.mkdir(mode=0o700)
    if os.getuid() == 0:
        shutil.chown(data, "postgres")
    secret = folder / "first"
    secret.write_text(f"{PASSWORD}\n")
    secret.chmod(0o644)
    make = [programs / "initdb", "-D", data, "-U", "postgres", "-A", "scram-sha-256"]
    make += [f"--pwfile={secret}", "--no-locale", "-E", "UTF8", "--no-sync"]
    subprocess.run(_as("postgres", [str(part) for part in make]), check=True, capture_output=True)
    serve = [programs / "postgres", "-D", data, "-p", str(port), "-h", "127.0.0.1", "-k", ""]
    command = _as("postgres", [*(str(part) for part in serve), "-c", "fsync=off"])

    def admin(database: str) -> Any:
        return psycopg.connect(
            host="127.0.0.1",
            port=port,
            user="postgres",
            password=PASSWORD,
            dbname=database,
            autocommit=True,
        )

    with _process(command, folder / "log", lambda: admin("postgres")):
        with closing(admin("postgres")) as connection:
            connection.execute(f"create role \"{USER}\" login password '{PASSWORD}'")
        yield Running("postgresql", port, admin)


@contextmanager
def _mariadb(folder: Path) -> Iterator[Running]:
    import pymysql  # noqa: PLC0415 (an extra)

    port, data = _free_port(), folder / "data"
    scratch = folder / "scratch"  # in a shared one a starting server removes another's files
    user = "mysql" if os.getuid() == 0 else None
    for place in (data, scratch):
        place.mkdir(mode=0o700)
        if user:
            shutil.chown(place, user)
    own = [f"--user={user}"] if user else []
    make = ["mariadb-install-db", "--no-defaults", f"--datadir={data}", "--skip-test-db", *own]
    make.append("--auth-root-authentication-method=normal")
    subprocess.run(make, check=True, capture_output=True)
    serve = ["mariadbd", "--no-defaults", f"--datadir={data}", f"--port={port}", *own]
    serve += ["--bind-address=127.0.0.1", f"--socket={data}/socket", "--skip-name-resolve"]
    serve += ["--innodb-flush-log-at-trx-commit=0", f"--pid-file={data}/pid"]
    serve += [f"--tmpdir={scratch}"]

    def admin(database: str) -> Any:
        return pymysql.connect(
            unix_socket=f"{data}/socket", user="root", database=database, autocommit=True
        )

    def first() -> Any:
        if not (data / "socket").exists():  # PyMySQL forgets a socket that it cannot connect
            raise ConnectionError
        return admin("mysql")

    with _process(serve, folder / "log", first):
        with closing(admin("mysql")) as connection, closing(connection.cursor()) as cursor:
            cursor.execute(f"create user '{USER}'@'%%' identified by %s", (PASSWORD,))
        yield Running("mysql", port, admin)
