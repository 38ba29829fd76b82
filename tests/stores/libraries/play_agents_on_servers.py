"""Run with the OpenAI Agents SDK: the scenes of play_agents.py on a database server."""

import asyncio
import sys
from typing import Any

import play_agents
from agents.extensions.memory import SQLAlchemySession
from sqlalchemy.ext.asyncio import create_async_engine

_DRIVERS = {"postgresql": "postgresql+psycopg", "mysql": "mysql+aiomysql"}


def opened(kind: str, path: str) -> Any:
    """On MySQL the SDK cannot make its tables: their columns have no length."""
    engine = create_async_engine(path.replace(kind, _DRIVERS[kind], 1))
    return SQLAlchemySession("user-1", engine=engine, create_tables=kind == "postgresql")


if __name__ == "__main__":
    play_agents.opened = opened
    command, *rest = sys.argv[1:]
    asyncio.run(play_agents.write(*rest) if command == "write" else play_agents.load(*rest))
