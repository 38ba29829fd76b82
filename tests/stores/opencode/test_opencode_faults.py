"""Faults put into sessions that the real client wrote: found, and repaired as was measured."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from opencode_samples import EVENTS, FIRST_REPLY, HOUR_AHEAD, LAST, NOW, PART, damaged, dump, found

from suture import api
from suture.model.operation import Policy
from suture.model.scope import Scope, Wanted

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


def log_is_dense(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        seqs = [seq for (seq,) in database.execute("SELECT seq FROM event ORDER BY seq")]
        kept = database.execute("SELECT seq FROM event_sequence").fetchone()
    assert seqs == list(range(len(seqs)))
    assert kept == ((len(seqs) - 1,) if seqs else None)


def test_an_event_that_cannot_be_read_blocks_nothing(tmp_path: Path) -> None:
    path = damaged(tmp_path, FAULTS["event cut"][0])
    scope = Scope((str(path),), assume="dead", now=NOW)
    (state,) = api.check(scope, tmp_path / "journal").sessions
    assert (state.resume.resumes, state.resume.loses) == ("yes", ())
