"""Rows that name a row which is not there. The SDK never asks SQLite to look."""

from collections.abc import Iterator

from suture.model.rows import DamageRow
from suture.stores._tables import Record
from suture.stores.openai_agents.tables import STRUCTURE, Stored, row_key


def references(unit: int, session: int, path: str, stored: Stored) -> Iterator[DamageRow]:
    def damage(kind: str, table: str, row: Record, detail: str) -> DamageRow:
        return DamageRow(
            unit=unit,
            path=path,
            kind=kind,
            line=None,
            offset=None,
            length=None,
            detail=detail,
            session=session,
            table=table,
            key=row_key(row),
        )

    messages = stored.tables.messages
    if stored.head is None and stored.messages:
        detail = "messages name a session that has no row"
        yield damage("foreign_key", messages, stored.messages[0], detail)._replace(fixable=False)
    if stored.tables.variant != "advanced":
        return
    present = {row["id"] for row in stored.messages}
    for row in stored.structure:
        if row["message_id"] not in present:
            detail = f"branch {str(row['branch_id'])!r} lists message {row['message_id']!s}, "
            yield damage("foreign_key", STRUCTURE, row, f"{detail}which is not there")
    for n, row in enumerate(stored.messages):
        if row["id"] not in stored.places:
            detail = f"message {row['id']!s} is listed in no branch"
            found = damage("projection", messages, row, detail)
            yield found._replace(table=STRUCTURE, ids=[str(row["id"])], field="absent", n=n)
