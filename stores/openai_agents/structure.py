"""AdvancedSQLiteSession: which branch lists which message, in the order of a running number."""

from collections.abc import Iterator

from suture.model.edit import RowEdit, Value
from suture.model.errors import Unsupported
from suture.stores._tables import Record
from suture.stores.openai_agents.items import HOSTED, Item
from suture.stores.openai_agents.tables import MAIN, STRUCTURE, Stored


class Structure:
    """The rows of `message_structure` as they shall be."""

    def __init__(self, stored: Stored, fresh: Iterator[int]) -> None:
        self.stored, self.fresh = stored, fresh
        self.rows: list[dict[str, Value]] = [dict(row) for row in stored.structure]

    def insert(self, after: Value, item: Item) -> None:
        """List a new message behind another one, wherever that one is listed."""
        for row in [row for row in self.rows if row["message_id"] == after]:
            self.rows.insert(self._at(row) + 1, self._row(item, row))

    def move(self, message: Value, after: Value) -> None:
        for row in [row for row in self.rows if row["message_id"] == message]:
            homes = [r for r in self.rows if r["message_id"] == after]
            home = next((r for r in homes if r["branch_id"] == row["branch_id"]), None)
            if home is None:
                raise Unsupported("a branch lists the one of the two messages and not the other")
            self.rows.remove(row)
            self.rows.insert(self._at(home) + 1, row)
            row |= {name: home[name] for name in _TURNS if name in home}

    def list_in_main(self, item: Item) -> None:
        """List a message that no branch lists in the main one, behind those written before it."""
        own = _count(item.row["id"])
        main = [r for r in self.rows if r["branch_id"] == MAIN and _count(r["message_id"]) < own]
        if main:
            self.rows.insert(self._at(main[-1]) + 1, self._row(item, main[-1]))
        else:
            first: Record = {**dict.fromkeys(_TURNS, 0), "branch_id": MAIN}
            self.rows.insert(0, self._row(item, first))

    def forget(self, message: Value) -> None:
        self.rows = [row for row in self.rows if row["message_id"] != message]

    def remove(self, name: Value) -> None:
        self.rows = [row for row in self.rows if row["id"] != name]

    def _at(self, row: dict[str, Value]) -> int:
        return next(i for i, one in enumerate(self.rows) if one is row)

    def _row(self, item: Item, before: Record) -> dict[str, Value]:
        is_user = item.type == "message/user"
        if is_user and self._is_followed(before):
            raise Unsupported("a user message in the middle would shift the numbers of the turns")
        turns = {name: _count(before.get(name)) + is_user for name in _TURNS}
        row: dict[str, Value] = {
            "id": next(self.fresh),
            "session_id": self.stored.id,
            "message_id": item.row["id"],
            "branch_id": before["branch_id"],
            "message_type": _type(item),
            "sequence_number": None,
            **turns,
            "tool_name": _tool(item),
            "created_at": item.row["created_at"],
        }
        return row

    def _is_followed(self, before: Record) -> bool:
        own = [row for row in self.rows if row["branch_id"] == before["branch_id"]]
        return bool(own) and own[-1] is not before

    def edits(self, path: str) -> list[RowEdit]:
        highest = 0
        for row in self.rows:  # a number moves up only if it must
            highest = max(highest + 1, _count(row["sequence_number"]))
            if row["sequence_number"] != highest:
                row["sequence_number"] = highest
        old = {row["id"]: row for row in self.stored.structure}
        new = {row["id"]: row for row in self.rows}
        return [
            RowEdit(path, STRUCTURE, {"id": key}, old.get(key), new.get(key))
            for key in dict.fromkeys((*old, *new))
            if old.get(key) != new.get(key)
        ]


_TURNS = ("user_turn_number", "branch_turn_number")
_NAMELESS = frozenset({*HOSTED, "computer_call", "shell_call", "apply_patch_call"})


def _count(value: Value) -> int:
    return int(value) if isinstance(value, int | float) else 0


def _type(item: Item) -> str:
    role = item.value.get("role")
    return role if role in ("user", "assistant") else str(item.value.get("type") or "other")


def _tool(item: Item) -> str | None:
    if item.type.startswith("tool_search"):
        return "tool_search"
    name = item.value.get("name")
    if name is None and item.type in _NAMELESS:
        return item.type
    return None if name is None else str(name)
