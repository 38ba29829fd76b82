"""A SQLite file as such, whatever it stores: its pages, its indexes, its logs."""

from suture.model.unit import FILE
from suture.stores._late import late, value
from suture.stores._store import Store

STORE = Store(
    name=FILE,
    title="SQLite files as such: pages, indexes, `-wal` and `-journal`, below any store",
    units=late("suture.stores.sqlite.read:units"),
    read=late("suture.stores.sqlite.read:read"),
    edits=late("suture.stores.sqlite.read:edits"),
    writers=late("suture.stores.sqlite.read:writers"),
    supports=value("suture.stores.sqlite.read:SUPPORTS"),
)
