"""Run with LangGraph: an agent with tools and a checkpointer, killed on the way, and going on."""

import json
import os
import signal
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    RemoveMessage,
    ToolMessage,
)
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.prebuilt import create_react_agent
from langgraph.types import Command, interrupt

THREAD: Any = {"configurable": {"thread_id": "thread-1"}}


def die(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class Scripted(BaseChatModel):  # type: ignore[misc]  # not installed beside the checker
    """Two calls for a question that says so, words otherwise."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **_: Any) -> "Scripted":
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        said = AIMessage("done")
        if isinstance(messages[-1], HumanMessage) and "deploy" in str(messages[-1].content):
            made = [("call-1", "build"), ("call-2", "deploy")]
            calls = [{"name": name, "args": {"place": "here"}, "id": key} for key, name in made]
            said = AIMessage("on it", tool_calls=calls)
        return ChatResult(generations=[ChatGeneration(message=said)])


def tools(scene: str) -> list[Any]:
    def build(place: str) -> str:
        """Build it."""
        return f"built {place}"

    def deploy(place: str) -> str:
        """Deploy it."""
        match scene:
            case "tail":
                raise OSError("no route to host")
            case "killed":
                die()
            case "interrupt":
                return f"a person said {interrupt('deploy?')}"
        return f"deployed {place}"

    return [build, deploy]


class Mortal(sqlite3.Connection):
    dying = False

    def commit(self) -> None:
        if self.dying:
            die()
        super().commit()


def doom(kept: Any) -> None:
    """The next commit of the saver is not lived to see."""
    if isinstance(kept, SqliteSaver):
        kept.conn.dying = True
        return

    class Dying(type(kept)):  # type: ignore[misc]  # as above
        UPSERT_CHECKPOINTS_SQL = property(die)  # the values of its channels are sent by then

    kept.__class__ = Dying


@contextmanager
def saver(kind: str, place: str) -> Iterator[Any]:
    if kind == "sqlite":
        connection = sqlite3.connect(place, check_same_thread=False, factory=Mortal)
        with closing(connection):
            yield SqliteSaver(connection)
        return
    from langgraph.checkpoint.postgres import PostgresSaver  # noqa: PLC0415

    with PostgresSaver.from_conn_string(place) as found:
        found.setup()
        yield found


def asked(words: str) -> Any:
    return {"messages": [HumanMessage(words)]}


def write(kind: str, place: str, scene: str) -> None:
    with saver(kind, place) as kept:
        graph = create_react_agent(Scripted(), tools(scene), checkpointer=kept)
        graph.invoke(asked("hello"), THREAD, durability="sync")
        if scene == "commit":
            doom(kept)
        try:
            graph.invoke(asked("deploy it"), THREAD, durability="sync")
        except OSError:
            die()
        die()


def shown(messages: list[Any]) -> list[str]:
    return [f"{one.type} {getattr(one, 'tool_call_id', None) or one.content}" for one in messages]


def go_on(kind: str, place: str, how: str) -> None:
    """Load the thread; then ask something new, resume, or answer what is named and ask."""
    with saver(kind, place) as kept:
        graph = create_react_agent(Scripted(), tools("well"), checkpointer=kept)
        before = graph.get_state(THREAD)
        refused = None
        try:
            match how.split(" "):
                case ["ask"]:
                    graph.invoke(asked("and now?"), THREAD)
                case ["resume"]:
                    graph.invoke(None, THREAD)
                case ["say", words]:
                    waiting = create_react_agent(Scripted(), tools("interrupt"), checkpointer=kept)
                    waiting.invoke(Command(resume=words), THREAD)
                case ["answer", *names]:
                    given = [ToolMessage("interrupted", tool_call_id=name) for name in names]
                    calls = before.values["messages"]
                    at = next(n for n, one in enumerate(calls) if getattr(one, "tool_calls", None))
                    said = [*calls[: at + 1], *given, *calls[at + 1 :]]
                    anew = [RemoveMessage(REMOVE_ALL_MESSAGES), *said]
                    graph.update_state(THREAD, {"messages": anew}, as_node="tools")
                    graph.invoke(asked("and now?"), THREAD)
        except ValueError as error:
            refused = str(error)
        after = graph.get_state(THREAD)
    told = {
        "before": shown(before.values.get("messages", [])),
        "next": list(before.next),
        "interrupts": len(before.interrupts),
        "refused": refused,
        "after": shown(after.values.get("messages", [])),
    }
    json.dump(told, sys.stdout)


if __name__ == "__main__":
    command, *rest = sys.argv[1:]
    (write if command == "write" else go_on)(*rest)
