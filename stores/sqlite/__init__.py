"""A SQLite file as such, whatever it stores: its pages, its indexes, its logs."""

from suture.model.unit import FILE
from suture.stores._late import late, value
from suture.stores._store import Store

STORE = Store(
    name=FILE,
    title=(
        "any SQLite file as such, below the stores above: damaged pages and indexes,"
        " broken `-wal` ([docs/damaged-databases.md](docs/damaged-databases.md))"
    ),
    media=("SQLite",),
    units=late("suture.stores.sqlite.read:units"),
    read=late("suture.stores.sqlite.read:read"),
    edits=late("suture.stores.sqlite.read:edits"),
    writers=late("suture.stores.sqlite.read:writers"),
    supports=value("suture.stores.sqlite.read:SUPPORTS"),
    limits={
        "check": "partly: pages, indexes and logs; the rows are the stores' part",
        "apply": "yes: written anew with what can be read",
        "migrate source": "no",
        "migrate target": "no",
    },
)
