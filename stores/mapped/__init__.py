"""Any SQL schema of your own, as a mapping file describes it."""

from suture.stores._late import late, value
from suture.stores._store import Store

STORE = Store(
    name="mapped",
    title="your own SQL tables, as a mapping file describes them (--map FILE, SQLite)",
    units=late("suture.stores.mapped.read:units"),
    read=late("suture.stores.mapped.read:read"),
    read_together=late("suture.stores.mapped.read:read_together"),
    edits=late("suture.stores.mapped.edits:edits"),
    writers=late("suture.stores.mapped.read:writers"),
    supports=value("suture.stores.mapped.edits:SUPPORTS"),
    heads=late("suture.stores.mapped.mapping:heads"),
)
