"""Run with the OpenAI Agents SDK: writes sessions through it, and builds the next model input."""

import asyncio
import json
import os
import signal
import sys
from typing import Any

from agents import SQLiteSession
from agents.extensions.memory import AdvancedSQLiteSession, SQLAlchemySession
from agents.run_internal.session_persistence import prepare_input_with_session
from sqlalchemy import event
from sqlalchemy.ext.asyncio import create_async_engine


def call(name: str, tool: str = "weather") -> dict[str, Any]:
    arguments = json.dumps({"city": name})
    item = {"type": "function_call", "call_id": name, "name": tool, "arguments": arguments}
    return {**item, "id": f"fc_{name}", "status": "completed"}


def output(name: str) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": name, "output": "18C"}


def reply(text: str) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {"type": "message", "role": "assistant", "content": content, "id": f"msg_{text}"}


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def reasoning(name: str) -> dict[str, Any]:
    return {"type": "reasoning", "id": name, "summary": [], "encrypted_content": "gAAA"}


def die(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class Mortal(SQLiteSession):  # type: ignore[misc]  # not installed beside the checker
    dying = False

    def _insert_items(self, conn: Any, items: Any) -> None:
        super()._insert_items(conn, items)
        if self.dying:
            die()


class MortalWithBranches(AdvancedSQLiteSession):  # type: ignore[misc]  # as above
    dying = False

    def _insert_items(self, conn: Any, items: Any) -> None:
        super()._insert_items(conn, items)
        if self.dying:
            die()


def opened(kind: str, path: str) -> Any:
    match kind:
        case "sqlite":
            names = {"sessions_table": "talks", "messages_table": "talk_items"}
            return Mortal("user-1", path, **names)
        case "advanced":
            return MortalWithBranches(session_id="user-1", db_path=path, create_tables=True)
        case _:
            engine = create_async_engine(f"sqlite+aiosqlite:///{path}")
            return SQLAlchemySession("user-1", engine=engine, create_tables=True)


def doom(session: Any) -> None:
    """The next commit of the library is not lived to see."""
    if isinstance(session, SQLAlchemySession):
        event.listen(session._engine.sync_engine, "commit", die)
    else:
        session.dying = True


FIRST = [user("Paris?"), reasoning("rs_1"), call("c1"), output("c1"), reply("18C in Paris")]
ASKED = [user("Rome and Oslo?"), reasoning("rs_2"), call("rome"), call("oslo")]
ANSWERED = [output("rome"), output("oslo"), reply("18C in both")]


async def write(kind: str, path: str, scene: str) -> None:
    session = opened(kind, path)
    await session.add_items(FIRST)
    match scene:
        case "tail":
            await session.add_items(ASKED)
            doom(session)
            await session.add_items(ANSWERED)
        case "middle":
            await session.add_items(ASKED)
            await asyncio.sleep(1.1)  # times of SQLAlchemySession are those of the second
            await session.add_items([user("still there?"), reply("yes")])
            doom(session)
            await session.add_items([user("and now?")])
        case "stray":
            await session.add_items([output("gone"), reply("fine")])
            doom(session)
            await session.add_items([user("and now?")])
        case "branch":
            await session.add_items([user("Rome?"), call("rome"), output("rome"), reply("18C")])
            await session.create_branch_from_turn(2, "other")
            await session.add_items([user("Oslo?"), call("oslo")])
            doom(session)
            await session.add_items([output("oslo"), reply("18C")])


async def load(kind: str, path: str, branch: str = "main") -> None:
    session = opened(kind, path)
    if branch != "main":
        await session.switch_to_branch(branch)
    prepared, _ = await prepare_input_with_session("go on", session, None)
    await session.add_items([user("go on")])
    json.dump(prepared, sys.stdout)


if __name__ == "__main__":
    command, *rest = sys.argv[1:]
    asyncio.run(write(*rest) if command == "write" else load(*rest))
