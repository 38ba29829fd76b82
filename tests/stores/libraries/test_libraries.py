"""The real libraries judge: what they left out of the next request, they send after a repair.

They write the sessions, are killed in the middle of a transaction, and load them again.
"""

import os
import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from library_venv import play, play_until_killed, why_not

from suture import api
from suture.model.answer import MARK
from suture.model.operation import Policy
from suture.model.scope import Scope, Wanted

pytestmark = pytest.mark.libraries

AGENTS, ADK = "play_agents.py", "play_adk.py"
SQLITE = ("sqlite", "advanced", "sqlalchemy")
SERVICES = ("v1", "service")


@pytest.fixture(autouse=True)
def libraries() -> None:
    reason = why_not()
    if reason is None:
        return
    if os.environ.get("SUTURE_NO_SKIP"):
        pytest.fail(reason)
    pytest.skip(reason)


class Case:
    """A database that a killed library left, and what the library makes of it."""

    def __init__(self, folder: Path, script: str, kind: str, scene: str) -> None:
        self.script, self.kind = script, kind
        self.folder = folder
        self.path = folder / "kept" / "sessions.db"
        self.path.parent.mkdir()
        play_until_killed(script, "write", kind, str(self.path), scene)

    def loaded(self, *more: str) -> Any:
        """On a copy, with what its log holds: loading appends."""
        copy = self.folder / "copy"
        shutil.copytree(self.path.parent, copy)
        try:
            return play(self.script, "load", self.kind, str(copy / self.path.name), *more)
        finally:
            shutil.rmtree(copy)

    @property
    def scope(self) -> Scope:
        return Scope((str(self.path),), assume="dead")

    def rules(self) -> list[str]:
        found = api.check(self.scope, self.folder / "journal").findings
        return [item.finding.rule for item in found]

    def repair(self, policy: Policy = Policy.ANSWER) -> str:
        plan = self.folder / "plan.json"
        api.plan(self.scope, Wanted(policy), plan)
        applied = api.apply(plan, self.folder / "journal")
        assert applied.exit_code == 0, applied.outcomes
        assert applied.journal is not None
        return applied.journal

    def undo(self, journal: str) -> None:
        api.undo(journal, self.folder / "journal")

    def dump(self) -> str:
        copy = self.folder / "dumped"
        shutil.copytree(self.path.parent, copy)
        with closing(sqlite3.connect(copy / self.path.name)) as database:
            text = "\n".join(database.iterdump())
        shutil.rmtree(copy)
        return text

    def run(self, sql: str) -> None:
        with closing(sqlite3.connect(self.path)) as database, database:
            database.execute(sql)


def calls(items: Sequence[dict[str, Any]], kind: str) -> list[str]:
    return [item["call_id"] for item in items if item.get("type") == kind]


def is_legal(items: Sequence[dict[str, Any]]) -> bool:
    """As the Responses API sees it: each call answered once and later, no reasoning alone."""
    open_calls: set[str] = set()
    for at, item in enumerate(items):
        match item.get("type"):
            case "function_call":
                open_calls.add(item["call_id"])
            case "function_call_output":
                if item["call_id"] not in open_calls:
                    return False
                open_calls.remove(item["call_id"])
            case "reasoning":
                after = items[at + 1] if at + 1 < len(items) else {}
                if after.get("type") not in ("function_call", "message", "reasoning"):
                    return False
    return not open_calls


@pytest.mark.parametrize("kind", SQLITE)
@pytest.mark.parametrize("scene", ["tail", "middle"])
def test_the_sdk_sends_calls_that_it_left_out(kind: str, scene: str, tmp_path: Path) -> None:
    case = Case(tmp_path, AGENTS, kind, scene)
    before = case.loaded()
    assert calls(before, "function_call") == ["c1"]
    assert "rs_2" not in [item.get("id") for item in before]
    dump = case.dump()

    journal = case.repair()
    after = case.loaded()
    assert calls(after, "function_call") == ["c1", "rome", "oslo"]
    assert calls(after, "function_call_output") == ["c1", "rome", "oslo"]
    outputs = [i["output"] for i in after if i.get("type") == "function_call_output"]
    assert [text.startswith(MARK) for text in outputs] == [False, True, True]
    assert "rs_2" in [item.get("id") for item in after]
    assert is_legal(after)
    new = [i for i in after if i not in before]
    assert [i for i in after if i not in new] == before, "what was sent stays, in its order"
    assert case.rules() == []

    case.undo(journal)
    assert case.dump() == dump


@pytest.mark.parametrize("kind", SQLITE)
def test_a_dropped_call_takes_its_reasoning_with_it(kind: str, tmp_path: Path) -> None:
    case = Case(tmp_path, AGENTS, kind, "tail")
    before = case.loaded()
    case.repair(Policy.DROP)
    after = case.loaded()
    assert is_legal(after)
    assert after[:-2] == before[:-1]
    assert after[-2]["role"] == "user" and after[-2]["content"].startswith(MARK)


@pytest.mark.parametrize("kind", SQLITE)
def test_an_output_without_a_call_is_no_longer_sent(kind: str, tmp_path: Path) -> None:
    case = Case(tmp_path, AGENTS, kind, "stray")
    assert not is_legal(case.loaded())
    case.repair()
    after = case.loaded()
    assert is_legal(after)
    assert [i.get("role") for i in after][-2:] == ["assistant", "user"]


def test_a_branch_is_repaired_and_the_main_one_is_not_touched(tmp_path: Path) -> None:
    case = Case(tmp_path, AGENTS, "advanced", "branch")
    main, before = case.loaded(), case.loaded("other")
    assert calls(before, "function_call") == ["c1"]
    journal = case.repair()
    after = case.loaded("other")
    assert calls(after, "function_call") == calls(after, "function_call_output") == ["c1", "oslo"]
    assert is_legal(after)
    assert case.loaded() == main
    case.undo(journal)
    assert case.loaded("other") == before


def test_a_message_that_no_branch_lists_is_loaded_again(tmp_path: Path) -> None:
    case = Case(tmp_path, AGENTS, "advanced", "branch")
    whole = case.loaded()
    case.run("delete from message_structure where message_id >= 8 and branch_id = 'main'")
    assert len(case.loaded()) < len(whole)
    case.repair()
    assert case.loaded() == whole


def told(loaded: Any) -> list[tuple[str, str, str]]:
    """(role, kind, id or text) of each part of the request."""
    found = []
    for content in loaded["contents"]:
        for part in content["parts"]:
            for kind in ("function_call", "function_response"):
                if kind in part:
                    found.append((content["role"], kind, part[kind]["name"]))
            if "text" in part:
                found.append((content["role"], "text", part["text"]))
    return found


CALL, RESPONSE = ("model", "function_call", "order"), ("user", "function_response", "order")


@pytest.mark.parametrize("kind", SERVICES)
def test_adk_sends_parallel_calls_that_it_left_out(kind: str, tmp_path: Path) -> None:
    case = Case(tmp_path, ADK, kind, "tail")
    before = case.loaded()
    assert CALL not in told(before)
    dump = case.dump()
    journal = case.repair()
    after = case.loaded()
    assert told(after) == [*told(before), CALL, CALL, RESPONSE, RESPONSE]
    assert after["refused"] is None
    assert case.rules() == []
    case.undo(journal)
    assert case.dump() == dump


@pytest.mark.parametrize("kind", SERVICES)
def test_adk_sends_a_call_in_the_middle(kind: str, tmp_path: Path) -> None:
    case = Case(tmp_path, ADK, kind, "middle")
    before = told(case.loaded())
    assert CALL not in before
    case.repair()
    after = told(case.loaded())
    at = after.index(CALL)
    assert after[at + 1] == RESPONSE
    assert after[:at] + after[at + 2 :] == before


def test_a_result_of_the_same_time_is_sent_after_its_call(tmp_path: Path) -> None:
    """v1 loads by time and id; SqliteSessionService by time and row, so it has no such fault."""
    case = Case(tmp_path, ADK, "v1", "tie")
    assert RESPONSE not in told(case.loaded())
    assert case.rules() == ["result-before-call"]
    case.repair()
    after = told(case.loaded())
    assert after[-2:] == [CALL, RESPONSE]


@pytest.mark.parametrize("kind", SERVICES)
def test_a_call_that_waits_for_a_person_is_left_alone(kind: str, tmp_path: Path) -> None:
    case = Case(tmp_path, ADK, kind, "waiting")
    assert case.rules() == ["pending-call"]
    assert CALL in told(case.loaded())


@pytest.mark.parametrize("table", ["app_states", "user_states"])
def test_adk_appends_again_once_the_state_row_is_there(table: str, tmp_path: Path) -> None:
    case = Case(tmp_path, ADK, "v1", "waiting")
    case.run(f"delete from {table}")
    assert "state missing" in case.loaded()["refused"]
    case.repair()
    assert case.loaded()["refused"] is None


@pytest.mark.parametrize("kind", SERVICES)
def test_a_session_whose_row_is_gone_is_found_again(kind: str, tmp_path: Path) -> None:
    case = Case(tmp_path, ADK, kind, "waiting")
    whole = told(case.loaded())
    case.run("delete from sessions")
    with pytest.raises(AssertionError, match="NoneType"):
        case.loaded()
    case.repair()
    assert told(case.loaded()) == whole


def test_a_time_of_the_other_kind_is_sorted_again(tmp_path: Path) -> None:
    case = Case(tmp_path, ADK, "v1", "middle")
    whole = told(case.loaded())
    case.run("update events set timestamp = 1764400004.0 where id = 'c1'")
    assert told(case.loaded())[0] == ("user", "text", "still there?")
    case.repair()
    after = [part for part in told(case.loaded()) if part not in (CALL, RESPONSE)]
    assert after == whole
