"""Faults put into sessions that the real client wrote: found, and repaired as was measured."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from suture import api
from suture.model.operation import Policy
from suture.model.scope import Scope, Wanted

SAMPLES = Path(__file__).parents[3] / "sample_data" / "opencode"
NOW = 1_800_000_000_000_000
TOOL = "toolu_072a76d1e33c4622a8c9f080"  # of the second reply
HOUR_AHEAD = 1_800_003_600_000
LAST = "(SELECT id FROM message ORDER BY time_created DESC LIMIT 1)"
FIRST_REPLY = "(SELECT id FROM message WHERE data LIKE '%assistant%' ORDER BY time_created LIMIT 1)"
PART = f"id = (SELECT id FROM part WHERE data LIKE '%{TOOL}%')"
EVENTS = f"type LIKE 'message.part%' AND data LIKE '%{TOOL}%'"

# The fault, the rules that tell of it, and what is left of them after the default plan.
FAULTS: dict[str, tuple[str, set[str], set[str]]] = {
    "tool part row deleted": (
        f"DELETE FROM part WHERE {PART}",
        {"event-projection-differs"},
        set(),
    ),
    "part hung on another message": (
        f"UPDATE part SET message_id = {FIRST_REPLY} WHERE {PART}",
        {"event-projection-differs"},
        set(),
    ),
    "message given to another session": (
        f"UPDATE message SET session_id = 'ses_other' WHERE id = {FIRST_REPLY}",
        {
            "event-projection-differs",
            "session-meta-missing",
            "foreign-key",
            "wrong-session-id",
            "missing-originals",
            "count-mismatch",
            "first-not-user",  # of the other session
        },
        set(),
    ),
    "message row deleted, parts kept": (
        f"DELETE FROM message WHERE id = {FIRST_REPLY}",
        {"event-projection-differs", "foreign-key"},
        set(),
    ),
    "all messages and parts deleted": (
        "DELETE FROM part; DELETE FROM message; "
        "UPDATE session SET tokens_input = 0, tokens_output = 0",
        {"event-projection-differs"},
        set(),
    ),
    "session row deleted": (
        "DELETE FROM session",
        {"session-meta-missing", "foreign-key"},
        set(),
    ),
    "part cut": (
        f"UPDATE part SET data = substr(data, 1, 40) WHERE {PART}",
        {"bad-json", "event-projection-differs"},
        set(),
    ),
    "part empty": (
        f"UPDATE part SET data = '' WHERE {PART}",
        {"bad-json", "event-projection-differs"},
        set(),
    ),
    "part with a NUL": (
        f"UPDATE part SET data = data || char(0) WHERE {PART}",
        {"bad-json", "event-projection-differs"},
        set(),
    ),
    "part a BLOB": (
        f"UPDATE part SET data = cast(data AS blob) WHERE {PART}",
        {"bad-json", "event-projection-differs"},
        set(),
    ),
    "part null": (
        f"UPDATE part SET data = 'null' WHERE {PART}",
        {"bad-shape", "event-projection-differs"},
        set(),
    ),
    "part not UTF-8": (
        f"UPDATE part SET data = cast(replace(data, 'tea', x'ff') AS text) WHERE {PART}",
        {"invalid-utf8", "event-projection-differs"},
        set(),
    ),
    "message cut": (
        f"UPDATE message SET data = substr(data, 1, 40) WHERE id = {FIRST_REPLY}",
        {"bad-json", "event-projection-differs"},
        set(),
    ),
    "session column cut": (
        "UPDATE session SET model = substr(model, 1, 9)",
        {"bad-json"},
        set(),
    ),
    "event cut": (
        "UPDATE event SET data = substr(data, 1, 9) WHERE seq = 12",
        {"bad-json"},
        {"bad-json"},
    ),
    "counter behind by 5": (
        "UPDATE event_sequence SET seq = seq - 5",
        {"counter-behind"},
        set(),
    ),
    "counter row missing": (
        "DELETE FROM event_sequence",
        {"missing-state-row", "foreign-key"},
        set(),
    ),
    "all events and counter gone": (
        "DELETE FROM event; DELETE FROM event_sequence",
        set(),
        set(),
    ),
    "call id twice": (
        "UPDATE part SET data = replace(data, 'toolu_f79ddbb264704e6a92f62a52', "
        "'toolu_ac55062f3aad4def8a42752d'); UPDATE event SET data = replace(data, "
        "'toolu_f79ddbb264704e6a92f62a52', 'toolu_ac55062f3aad4def8a42752d')",
        {"duplicate-call-id"},
        set(),
    ),
    "call without id": (
        f"UPDATE part SET data = json_remove(data, '$.callID') WHERE {PART}; "
        f"UPDATE event SET data = json_remove(data, '$.part.callID') WHERE {EVENTS}",
        {"malformed-call"},
        set(),
    ),
    "completed without output": (
        f"UPDATE part SET data = json_remove(data, '$.state.output') WHERE {PART}; "
        f"UPDATE event SET data = json_remove(data, '$.part.state.output') WHERE {EVENTS}",
        {"inflight-part"},
        set(),
    ),
    "prompt emptied": (
        "UPDATE part SET data = json_set(data, '$.text', '') WHERE data LIKE '%price list%'; "
        "DELETE FROM event; DELETE FROM event_sequence",
        {"bad-shape", "first-not-user"},
        {"bad-shape", "first-not-user"},
    ),
    "prompt emptied, with a file beside it": (
        "INSERT INTO part SELECT id || 'f', message_id, session_id, time_created, time_updated, "
        """'{"type":"file","mime":"image/png","url":"data:"}' FROM part """
        "WHERE data LIKE '%price list%'; "
        "UPDATE part SET data = json_set(data, '$.text', '') WHERE data LIKE '%price list%'; "
        "DELETE FROM event; DELETE FROM event_sequence",
        set(),
        set(),
    ),
    "parent absent": (
        "UPDATE session SET parent_id = 'ses_gone'; DELETE FROM event; DELETE FROM event_sequence",
        {"subagent-link"},
        {"subagent-link"},
    ),
    "unknown status": (
        f"UPDATE part SET data = json_set(data, '$.state.status', 'cancelled') WHERE {PART}; "
        f"UPDATE event SET data = json_set(data, '$.part.state.status', 'cancelled') "
        f"WHERE {EVENTS} AND data LIKE '%completed%'",
        {"unknown-type"},
        {"unknown-type"},
    ),
    "last reply from the future": (
        f"UPDATE message SET time_created = {HOUR_AHEAD}, "
        f"data = json_set(data, '$.time.created', {HOUR_AHEAD}) WHERE id = {LAST}; "
        "DELETE FROM event; DELETE FROM event_sequence",
        {"clock-fault"},
        set(),
    ),
    "rows of two replies swapped": (
        "UPDATE message SET time_created = 1795972770643 + 1795972769484 - time_created "
        "WHERE time_created IN (1795972770643, 1795972769484)",
        {"clock-fault"},
        set(),
    ),
}


def damaged(folder: Path, sql: str, sample: str = "healthy") -> Path:
    path = folder / "opencode.db"
    shutil.copy(SAMPLES / sample / "opencode.db", path)
    with closing(sqlite3.connect(path)) as database:
        database.executescript(sql)
    return path


def found(path: Path, journal: Path) -> set[str]:
    scope = Scope((str(path),), assume="dead", now=NOW)
    return {item.finding.rule for item in api.check(scope, journal).findings}


@pytest.mark.parametrize("fault", FAULTS)
def test_fault(fault: str, tmp_path: Path) -> None:
    sql, told, left = FAULTS[fault]
    path = damaged(tmp_path, sql)
    assert found(path, tmp_path / "journal") == told
    scope = Scope((str(path),), assume="dead", now=NOW)
    api.plan(scope, Wanted(Policy.ANSWER), tmp_path / "plan.json")
    plan = api.read_plan(tmp_path / "plan.json")
    if any(unit.steps for unit in plan.units):
        before = dump(path)
        applied = api.apply(tmp_path / "plan.json", tmp_path / "journal")
        assert applied.exit_code == 0, applied.outcomes
        assert found(path, tmp_path / "journal") == left
        log_is_dense(path)
        api.undo(applied.journal, tmp_path / "journal")
        assert dump(path) == before
    else:
        assert told == left


def dump(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as database:
        database.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
        return list(database.iterdump())


def log_is_dense(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        seqs = [seq for (seq,) in database.execute("SELECT seq FROM event ORDER BY seq")]
        kept = database.execute("SELECT seq FROM event_sequence").fetchone()
    assert seqs == list(range(len(seqs)))
    assert kept == ((len(seqs) - 1,) if seqs else None)


def restored(sql: str) -> Callable[[Path], None]:
    def check(folder: Path) -> None:
        healthy = damaged(folder, "")
        wanted = dump(healthy)
        path = damaged(folder, sql)
        scope = Scope((str(path),), assume="dead", now=NOW)
        api.plan(scope, Wanted(Policy.ANSWER), folder / "plan.json")
        assert api.apply(folder / "plan.json", folder / "journal").exit_code == 0
        times = {"time_created", "time_updated"}
        assert [without(line, times) for line in sorted(dump(path))] == [
            without(line, times) for line in sorted(wanted)
        ]

    return check


def without(line: str, _: set[str]) -> str:
    """The row without its two times, which an event does not hold."""
    if not line.startswith(('INSERT INTO "part"', 'INSERT INTO "message"')):
        return line
    head, brace, body = line.partition("'{")
    return ",".join(head.split(",")[:-3]) + brace + in_order(body)


def in_order(body: str) -> str:
    text = body.removesuffix("');").replace("''", "'")
    return json.dumps(json.loads("{" + text), sort_keys=True)


@pytest.mark.parametrize(
    "sql",
    [
        f"DELETE FROM part WHERE {PART}",
        "DELETE FROM part; DELETE FROM message; DELETE FROM session",
        f"UPDATE part SET data = 'x' WHERE {PART}",
        "UPDATE session SET permission = '['",
    ],
)
def test_what_the_log_holds_comes_back_whole(sql: str, tmp_path: Path) -> None:
    restored(sql)(tmp_path)


def test_a_running_call_is_told_with_its_output(tmp_path: Path) -> None:
    path = damaged(
        tmp_path,
        "UPDATE part SET data = json_set(data, '$.state.metadata.output', 'step 1 of 9') "
        "WHERE data LIKE '%running%'; UPDATE event "
        "SET data = json_set(data, '$.part.state.metadata.output', 'step 1 of 9') "
        "WHERE data LIKE '%# deploy%'",
        "killed-in-tool",
    )
    scope = Scope((str(path),), assume="dead", now=NOW)
    api.plan(scope, Wanted(Policy.ANSWER), tmp_path / "plan.json")
    assert api.apply(tmp_path / "plan.json", tmp_path / "journal").exit_code == 0
    with closing(sqlite3.connect(path)) as database:
        (data,) = database.execute("SELECT data FROM part WHERE data LIKE '%# deploy%'").fetchone()
        rows = database.execute("SELECT data FROM event ORDER BY seq").fetchall()
    state = json.loads(data)["state"]
    assert state["status"] == "error"
    assert "result is unknown" in state["error"]
    assert state["error"].endswith("step 1 of 9")
    assert state["metadata"] == {"interrupted": True, "partial_output": "step 1 of 9"}
    assert "output" not in state["metadata"], "the client would send it as a success"
    assert any(json.loads(row[0]).get("part", {}).get("state") == state for row in rows)


def test_a_row_that_changed_since_the_plan_stops_the_repair(tmp_path: Path) -> None:
    path = damaged(tmp_path, "", "killed-in-tool")
    scope = Scope((str(path),), assume="dead", now=NOW)
    api.plan(scope, Wanted(Policy.ANSWER), tmp_path / "plan.json")
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE event_sequence SET seq = seq + 1")
    before = dump(path)
    assert api.apply(tmp_path / "plan.json", tmp_path / "journal").exit_code == 4
    assert dump(path) == before


def test_a_log_without_numbers_gives_no_counter(tmp_path: Path) -> None:
    path = damaged(tmp_path, "UPDATE event SET aggregate_id = 'ses_two', seq = 'x' WHERE seq = 0")
    scope = Scope((str(path),), assume="dead", now=NOW)
    made = api.plan(scope, Wanted(Policy.ANSWER), tmp_path / "plan.json")
    (unit,) = (unit for unit in made.units if unit.session == "ses_two")
    assert {skip.reason for skip in unit.skipped} >= {"no event of the log has a number"}


def test_one_unreadable_row_hides_no_other_session(tmp_path: Path) -> None:
    path = damaged(tmp_path, f"UPDATE part SET data = x'00' WHERE {PART}")
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(
            "INSERT INTO session (id, project_id, slug, directory, title, version, "
            "time_created, time_updated) VALUES ('ses_two', 'global', 's', '/', 't', '1', 1, 1)"
        )
    scope = Scope((str(path),), assume="dead", now=NOW)
    assert {line.id for line in api.sessions(scope)} == {
        "ses_two",
        "ses_dd7ae5facffeciRpBS8EZgp2pn",
    }


def test_an_event_whose_id_is_no_text_breaks_nothing(tmp_path: Path) -> None:
    """Half of a UTF-16 pair can be asked for in no table."""
    path = damaged(
        tmp_path,
        "update event set data = replace(data, 'prt_22851ab2c001', '\\udc00') "
        "where data like '%prt_22851ab2c001%'",
    )
    with closing(sqlite3.connect(path)) as database:
        (changed,) = database.execute(
            "select count(*) from event where data like '%\\udc00%'"
        ).fetchone()
    assert changed
    assert found(path, tmp_path / "journal")


IN_ORDER = "SELECT id FROM message ORDER BY time_created, id"
SAID_IN_ORDER = "SELECT id FROM message ORDER BY json_extract(data, '$.time.created'), id"
LATER = "time_created = time_created + 999000000000"
SAYS_LATER = "data = json_set(data, '$.time.created', time_created + 999000000000)"


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize("change", [f"{LATER}, {SAYS_LATER}", LATER, SAYS_LATER])
@pytest.mark.parametrize("log", ["", "; DELETE FROM event; DELETE FROM event_sequence"])
def test_a_message_from_the_future_keeps_its_place(
    place: int, change: str, log: str, tmp_path: Path
) -> None:
    path = damaged(tmp_path, "")
    with closing(sqlite3.connect(path)) as database:
        order = database.execute(IN_ORDER).fetchall()
    if place == 0 and log and "," in change:
        pytest.skip("nothing tells the time of the first message")
    path = damaged(tmp_path, f"UPDATE message SET {change} WHERE id = '{order[place][0]}'{log}")
    scope = Scope((str(path),), assume="dead", now=NOW)
    api.plan(scope, Wanted(Policy.ANSWER), tmp_path / "plan.json")
    assert api.apply(tmp_path / "plan.json", tmp_path / "journal").exit_code == 0
    with closing(sqlite3.connect(path)) as database:
        assert database.execute(IN_ORDER).fetchall() == order
        assert database.execute(SAID_IN_ORDER).fetchall() == order
    assert found(path, tmp_path / "journal") == set()


@pytest.mark.parametrize(
    ("sql", "resumes"),
    [
        ("", "yes"),
        ("UPDATE project SET sandboxes = '['", "no"),  # blocks every session of the project
        (f"UPDATE part SET data = json_remove(data, '$.state.output') WHERE {PART}", "no"),
        (f"UPDATE message SET {SAYS_LATER} WHERE id = {LAST}", "no"),
        (f"UPDATE message SET time_created = time_created + 999 WHERE id = {LAST}", "yes"),
    ],
)
def test_what_the_client_does_on_resume_is_told(sql: str, resumes: str, tmp_path: Path) -> None:
    path = damaged(tmp_path, f"{sql}; DELETE FROM event; DELETE FROM event_sequence")
    scope = Scope((str(path),), assume="dead", now=NOW)
    (state,) = api.check(scope, tmp_path / "journal").sessions
    assert state.resume.resumes == resumes


def test_an_event_that_cannot_be_read_blocks_nothing(tmp_path: Path) -> None:
    path = damaged(tmp_path, FAULTS["event cut"][0])
    scope = Scope((str(path),), assume="dead", now=NOW)
    (state,) = api.check(scope, tmp_path / "journal").sessions
    assert (state.resume.resumes, state.resume.loses) == ("yes", ())


def test_a_reply_that_a_kill_left_without_parts_is_only_unfinished(tmp_path: Path) -> None:
    sql = (
        f"DELETE FROM part WHERE message_id = {LAST}; UPDATE message SET data = "
        f"json_remove(data, '$.finish', '$.time.completed') WHERE id = {LAST}; "
        "DELETE FROM event; DELETE FROM event_sequence; "
        "UPDATE session SET tokens_input = 20, tokens_output = 10"
    )
    assert found(damaged(tmp_path, sql), tmp_path / "journal") == {"unfinished-message"}
