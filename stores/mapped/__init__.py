"""Any SQL schema of your own, as a mapping file describes it."""

from suture.stores._late import late, value
from suture.stores._store import Store

STORE = Store(
    name="mapped",
    title="SQL tables of your own, by a mapping file ([docs/mapping.md](docs/mapping.md))",
    media=("SQLite", "PostgreSQL", "MySQL"),
    units=late("suture.stores.mapped.read:units"),
    read=late("suture.stores.mapped.read:read"),
    read_together=late("suture.stores.mapped.read:read_together"),
    edits=late("suture.stores.mapped.edits:edits"),
    writers=late("suture.stores.mapped.read:writers"),
    supports=value("suture.stores.mapped.edits:SUPPORTS"),
    heads=late("suture.stores.mapped.mapping:heads"),
    limits={
        "plan": "partly: where the file says what to write",
        "apply": "partly: where the file says what to write",
    },
)
