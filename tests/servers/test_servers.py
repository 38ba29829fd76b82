"""Sessions on PostgreSQL and MariaDB: found, planned, repaired, taken back, and never half done."""

import json
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from running import PASSWORD, USER, Base
from server_desk import CASES, HEADS, NOW, ORPHANS, ROOT, Desk, environment, filled, told

from suture import api
from suture.model.errors import BadQuery, LiveWriter, StaleStore
from suture.model.operation import Policy
from suture.model.scope import Scope, Wanted

pytestmark = pytest.mark.servers

HERE = Path(__file__).parent
# Those whose damage the tables of a server let in: they refuse bad JSON and rows without a session.
LAXCODE = (
    "orphan-call-tail/laxcode-answer",
    "orphan-call-tail/laxcode-drop",
    "orphan-call-tail/laxcode-truncate",
    "orphan-call-mid/laxcode",
    "partial-parallel/laxcode-in-the-middle",
    "counter-behind/laxcode",
    "duplicate-result/laxcode",
    "empty-compaction/laxcode",
    "missing-originals/laxcode",
    "seq-gap/laxcode",
    "split-pair/laxcode-call-alone",
    "window-ahead/laxcode",
    "window-gap/laxcode",
    "window-overlap/laxcode",
)
ADK = (
    "orphan-call-tail/adk",
    "orphan-call-tail/adk-drop",
    "orphan-call-mid/adk",
    "partial-parallel/adk",
    "duplicate-call-id/adk",
    "duplicate-result/adk",
    "orphan-result/adk",
    "count-mismatch/adk",
    "missing-state-row/adk",
    "pending-call/adk-long-running",
)
AGENTS = (
    "orphan-call-tail/agents",
    "orphan-call-tail/agents-drop",
    "orphan-call-tail/agents-truncate",
    "orphan-call-mid/agents-by-time",
    "partial-parallel/agents",
    "bad-json/agents-row",
    "bad-shape/agents",
    "duplicate-call-id/agents",
    "duplicate-result/agents",
    "orphan-result/agents",
    "originals-gone/agents-emptied",
    "pending-call/agents-approval",
    "reasoning-shape/agents-alone",
    "result-before-call/agents-by-time",
    "unknown-type/agents-encrypted",
)
# By a mapping file.
SEQSTORE = (
    "orphan-call-tail/mapped",
    "counter-behind/mapped",
    "missing-originals/mapped",
    "stale-version/mapped-two-summaries",
    "window-ahead/mapped-killed-compaction",
)
TABLES = {"laxcode": LAXCODE, "adk": ADK, "agents": AGENTS, "seqstore": SEQSTORE}


@pytest.mark.parametrize("case", [*LAXCODE, *ADK, *AGENTS, *SEQSTORE])
def test_damage_is_found_and_repaired_as_in_sqlite(
    case: str, database: Callable[[str], Base], tmp_path: Path
) -> None:
    tables = next(name for name, cases in TABLES.items() if case in cases)
    desk = filled(database(tables), case, tmp_path)
    expected: dict[str, Any] = json.loads((CASES / case / "expected.json").read_text("utf-8"))
    desk.mapping = str(ROOT / expected["map"]) if "map" in expected else None
    before = desk.base.dump()

    found = [told(finding) for finding in desk.found()]
    assert found == [line.removeprefix("sessions.db") for line in expected["findings"]]
    policy = Policy(expected.get("policy", "answer"))
    plan = desk.plan(Wanted(policy, take=expected.get("take", ())))
    assert desk.base.dump() == before, "check and plan write nothing"
    if not any(unit.steps for unit in plan.units):
        return

    applied = desk.apply()
    assert applied.exit_code == 0, applied.outcomes
    assert desk.base.dump() != before
    remaining = sorted(key for unit in plan.units for key in unit.remaining)
    assert sorted(finding.fingerprint for finding in desk.found()) == remaining

    api.undo(applied.journal, desk.journal)
    assert desk.base.dump() == before


def test_nothing_changes_if_the_client_wrote_after_the_plan(desk: Desk) -> None:
    desk.plan()
    desk.client_writes()
    before = desk.base.dump()
    applied = desk.apply()
    assert (applied.exit_code, applied.outcomes[0].status) == (StaleStore.exit_code, "skipped")
    assert desk.base.dump() == before


def test_undo_refuses_what_the_client_wrote_after_the_repair(desk: Desk) -> None:
    desk.plan()
    applied = desk.apply()
    desk.client_writes()
    before = desk.base.dump()
    with pytest.raises(StaleStore):
        api.undo(applied.journal, desk.journal)
    assert desk.base.dump() == before


def test_a_session_that_another_transaction_holds_is_left_alone(desk: Desk) -> None:
    desk.plan()
    before = desk.base.dump()
    table = HEADS[desk.base.tables]
    with closing(desk.base.open()) as other, closing(other.cursor()) as cursor:
        cursor.execute("begin")
        cursor.execute(f"select * from {table} for update")
        assert desk.apply().exit_code == LiveWriter.exit_code
    assert desk.base.dump() == before
    assert desk.apply().exit_code == 0


def test_a_plan_fits_no_other_database(desk: Desk, database: Callable[[str], Base]) -> None:
    plan = desk.plan()
    (source,) = plan.units[0].sources
    assert source.path == desk.base.shown and source.server is not None
    other = source.server.replace("system ", "system 1").replace("server ", "server 1")
    assert other != source.server
    text = desk.plan_file.read_text("utf-8")
    desk.plan_file.write_text(text.replace(source.server, other), "utf-8")
    before = desk.base.dump()
    assert desk.apply().exit_code == StaleStore.exit_code
    assert desk.base.dump() == before


def test_credentials_are_in_no_output_plan_or_journal(
    database: Callable[[str], Base], tmp_path: Path
) -> None:
    desk = filled(database("laxcode"), ORPHANS["laxcode"], tmp_path)
    url = desk.base.url
    wrong = url.replace("n0t", "n1t")
    bare = desk.base.shown
    secrets = (USER, PASSWORD, url.split("//")[1].split("@")[0].split(":", 1)[1], "to@be", "n0t")
    commands = [
        ["check", url],
        ["check", url, "--format", "json"],
        ["check", url, "--format", "sarif"],
        ["check", url, "--session", "none"],
        ["inspect", url],
        ["sql", url, "select * from session"],
        ["check", wrong],
        ["check", url + "-is-none"],
        ["check", url.replace("%40", "@")],
        ["check", url, "--cache", str(desk.folder / "cache")],
        ["plan", url, "-o", str(desk.plan_file)],
        ["apply", str(desk.plan_file), "--dry-run"],
        ["apply", str(desk.plan_file)],
        ["check", bare],
        ["journal", "list"],
        ["undo", "--last"],
    ]
    said = []
    for command in commands:
        done = subprocess.run(
            [sys.executable, "-m", "suture", *command],
            env=environment(desk),
            capture_output=True,
            text=True,
            check=False,
        )
        said.append((command[0], done.returncode, done.stdout + done.stderr))
    assert [code for _, code, _ in said] == [1, 1, 1, 3, 0, 0, 3, 3, 3, 1, 1, 0, 0, 0, 0, 0], said
    kept = [path.read_text("utf-8") for path in desk.folder.rglob("*") if path.is_file()]
    assert any(bare in text for text in kept)
    for text in [*kept, *(text for _, _, text in said)]:
        assert not [secret for secret in secrets if secret in text]


def test_only_the_wanted_sessions_are_copied(
    database: Callable[[str], Base], tmp_path: Path
) -> None:
    desk = filled(database("laxcode"), ORPHANS["laxcode"], tmp_path)
    desk.base.run("insert into session (session_id, created_at) values ('s-2', '2026-03-02')")
    both = api.sessions(desk.scope)
    one = api.sessions(Scope((desk.base.url,), sessions=("s-2",), now=NOW))
    assert [line.id for line in both] == ["s-1", "s-2"]
    assert [line.id for line in one] == ["s-2"]


def test_values_keep_their_form(database: Callable[[str], Base], tmp_path: Path) -> None:
    """Case, blanks at the end, quotes, percent signs and what lies beyond ASCII."""
    desk = filled(database("laxcode"), ORPHANS["laxcode"], tmp_path)
    desk.base.run(
        "update raw_message set content = %s where seq = 2", "Ä 100% 'q' \"d\" \\n \u2028 "
    )
    desk.base.run("update context_window_message set content = %s where seq = 2", "Ä %s \\ ")
    before = desk.base.dump()
    desk.plan(Wanted(Policy.TRUNCATE))
    applied = desk.apply()
    assert applied.exit_code == 0, applied.outcomes
    api.undo(applied.journal, desk.journal)
    assert desk.base.dump() == before


def test_upper_and_lower_case_are_not_the_same(desk: Desk) -> None:
    """Nor for a server whose collation says so."""
    desk.plan()
    if desk.base.tables == "laxcode":
        text = desk.plan_file.read_text("utf-8").replace(
            '"session_id": "s-1"', '"session_id": "S-1"'
        )
    elif desk.base.tables == "agents":
        text = desk.plan_file.read_text("utf-8").replace('"session_id": "s1"', '"session_id": "S1"')
    else:
        text = desk.plan_file.read_text("utf-8").replace('"app_name": "shop"', '"app_name": "SHOP"')
    desk.plan_file.write_text(text, "utf-8")
    before = desk.base.dump()
    assert desk.apply().exit_code == StaleStore.exit_code
    assert desk.base.dump() == before


@pytest.mark.parametrize("tables", ["laxcode", "adk"])
def test_a_condition_is_asked_of_the_server(
    database: Callable[[str], Base], tmp_path: Path, tables: str
) -> None:
    desk = filled(database(tables), ORPHANS[tables], tmp_path)
    (known,) = api.sessions(desk.scope)
    other = "insert into session (session_id, created_at) values ('t%', '2026-03-02')"
    if tables == "adk":
        other = (
            "insert into sessions values"
            f" ('other', 'ben', '{known.id}', '{{}}', '2026-03-02', '2026-03-02')"
        )
    desk.base.run(other)
    condition = "session_id like 't%' -- by its first letter"
    if tables == "adk":
        condition = "user_id = 'ben' -- the same id, another owner"
    before = desk.base.dump()
    url = desk.base.url
    found = api.sessions(Scope((url,), where=condition, now=NOW))
    assert [line.id for line in found] == ["t%" if tables == "laxcode" else known.id]
    assert not [line for line in found if line.records]
    since = 1_772_409_601_000_000  # a second after the other began
    (one,) = api.sessions(Scope((url,), since=since, where="1 = 1", now=NOW))
    assert one.records
    for wrong in ("no_such = 1", "1 = 1); delete from events; --"):
        with pytest.raises(BadQuery) as error:
            api.check(Scope((url,), where=wrong, now=NOW))
        assert PASSWORD not in str(error.value) and USER not in str(error.value)
    assert desk.base.dump() == before
