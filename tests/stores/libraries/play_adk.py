"""Run with Google ADK: writes sessions through its services, and builds the next model input."""

import asyncio
import json
import os
import signal
import sys
from typing import Any

import aiosqlite
from google.adk.events.event import Event
from google.adk.flows.llm_flows.context import _contents
from google.adk.sessions.database_session_service import DatabaseSessionService
from google.adk.sessions.sqlite_session_service import SqliteSessionService
from google.genai import types
from sqlalchemy import event as listening

APP, USER, AGENT = "shop", "alice", "root_agent"
START = 1_764_400_000.0


def die(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def opened(kind: str, path: str) -> Any:
    if kind == "service":
        return SqliteSessionService(path)
    return DatabaseSessionService(f"sqlite+aiosqlite:///{path}")


def doom(service: Any) -> None:
    """The next commit of the library is not lived to see."""
    if isinstance(service, SqliteSessionService):
        aiosqlite.Connection.commit = die
    else:
        listening.listen(service.db_engine.sync_engine, "commit", die)


def part(call: str = "", response: str = "", text: str | None = None) -> types.Part:
    if call:
        return types.Part(function_call=types.FunctionCall(id=call, name="order", args={"n": 1}))
    if response:
        body = {"ok": True}
        answer = types.FunctionResponse(id=response, name="order", response=body)
        return types.Part(function_response=answer)
    return types.Part(text=text)


def said(name: str, at: float, author: str, *parts: types.Part, **more: Any) -> Event:
    role = "user" if author == "user" or parts[0].function_response else "model"
    content = types.Content(role=role, parts=list(parts))
    return Event(
        id=name,
        author=author,
        invocation_id=f"e-{name[0]}",
        timestamp=START + at,
        content=content,
        **more,
    )


async def write(kind: str, path: str, scene: str) -> None:
    service = opened(kind, path)
    session = await service.create_session(app_name=APP, user_id=USER, session_id="s1")

    async def add(*events: Event) -> None:
        for one in events:
            await service.append_event(session, one)

    await add(said("a1", 0, "user", part(text="hello")), said("a2", 1, AGENT, part(text="hi")))
    match scene:
        case "tail":
            await add(said("b1", 2, "user", part(text="order two")))
            await add(said("b2", 3, AGENT, part(call="one"), part(call="two")))
        case "middle":
            await add(said("b1", 2, "user", part(text="order one")))
            await add(said("b2", 3, AGENT, part(text="right away"), part(call="one")))
            await add(said("c1", 4, "user", part(text="still there?")))
            await add(said("c2", 5, AGENT, part(text="yes")))
        case "tie":
            await add(said("bz", 2, AGENT, part(call="one")))
            await add(said("ba", 2, AGENT, part(response="one")))
        case "waiting":
            waits = {"long_running_tool_ids": {"one"}}
            await add(said("b2", 2, AGENT, part(call="one"), **waits))
    doom(service)
    await add(said("d1", 9, AGENT, part(text="lost")))


async def load(kind: str, path: str) -> None:
    service = opened(kind, path)
    session = await service.get_session(app_name=APP, user_id=USER, session_id="s1")
    contents = _contents._get_contents(None, session.events, AGENT)
    try:
        await service.append_event(session, said("x1", 20, "user", part(text="go on")))
        refused = None
    except ValueError as error:
        refused = str(error)
    dumped = [content.model_dump(mode="json", exclude_none=True) for content in contents]
    json.dump(
        {"contents": dumped, "refused": refused, "update": session.last_update_time}, sys.stdout
    )


if __name__ == "__main__":
    command, *rest = sys.argv[1:]
    asyncio.run(write(*rest) if command == "write" else load(*rest))
