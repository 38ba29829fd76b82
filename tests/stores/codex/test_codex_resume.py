"""What Codex makes of one fault on resume: a fault of one kind is not told as its worst kind."""

from pathlib import Path

import pytest
import rollouts as r

from suture import api
from suture.model.report import Resume
from suture.model.scope import Scope, Wanted

ENTRIES = [
    r.PAGINATED,
    r.start("t"),
    r.message("user", "one"),
    r.message("assistant", "1"),
    r.complete("t"),
]
CHILD = "019c0000-0000-7000-8000-000000000002"


def resume(path: Path, journal: Path, session: str = r.THREAD) -> Resume:
    scope = Scope((str(path),), assume="dead", now=1_800_000_000_000_000)
    return {s.id: s.resume for s in api.check(scope, journal).sessions}[session]


@pytest.mark.parametrize(("at", "resumes"), [(3, "yes"), (4, "no")])
def test_only_a_last_record_without_an_ordinal_is_refused(
    at: int, resumes: str, tmp_path: Path
) -> None:
    content = r.lines(ENTRIES, 0)
    content[at] = content[at].replace(b'"ordinal":%d,' % at, b"")
    found = resume(r.write(tmp_path, content), tmp_path / "journal")
    assert (found.resumes, len(found.loses)) == (resumes, 1)


@pytest.mark.parametrize("at", [3, 4])
@pytest.mark.parametrize(
    ("ordinal", "rules", "skipped"),
    [
        (b"9223372036854775808", {"bad-shape", "ordinal-missing"}, False),  # what 64 bits hold
        (b"99999999999999999999", {"bad-shape", "ordinal-missing"}, True),
        (b'"3"', {"bad-shape", "ordinal-missing"}, True),
        (b"-1", {"ordinal-backwards"}, True),
    ],
)
def test_an_ordinal_that_is_none_is_quoted(
    ordinal: bytes, rules: set[str], skipped: bool, at: int, tmp_path: Path
) -> None:
    content = r.lines(ENTRIES, 0)
    content[at] = content[at].replace(b'"ordinal":%d,' % at, b'"ordinal":%s,' % ordinal)
    scope = Scope((str(r.write(tmp_path, content)),), assume="dead")
    report = api.check(scope, tmp_path / "journal")
    found = {item.finding.rule: item for item in report.findings}
    assert rules <= set(found)
    words = "a string" if ordinal == b'"3"' else ordinal.decode()
    for rule in rules:
        assert words in found[rule].finding.message
        told = found[rule].on_resume or ""
        assert told.startswith("the line is") if skipped else told.startswith("nothing is lost")
    (state,) = report.sessions
    assert (state.resume.resumes, bool(state.resume.loses)) == ("yes", skipped)


@pytest.mark.parametrize(("version", "measured"), [("0.160.0", False), ("0.171.0", True)])
@pytest.mark.parametrize("ordinal", [b"99999999999999999999", b'"4"', b"-1"])
def test_what_was_measured_on_one_version_is_not_said_of_older_ones(
    ordinal: bytes, version: str, measured: bool, tmp_path: Path
) -> None:
    entries = [r.meta(history_mode="paginated", cli_version=version), *ENTRIES[1:]]
    content = r.lines(entries, 0)
    content[3] = content[3].replace(b'"ordinal":3,', b'"ordinal":%s,' % ordinal)
    losses = resume(r.write(tmp_path, content), tmp_path / "journal").loses
    assert losses
    assert all(("as its source says" in loss) is not measured for loss in losses)


@pytest.mark.parametrize("ordinal", [b"99999999999999999999", b'"4"', b"-1"])
def test_a_line_that_is_skipped_is_not_sent_until_it_is_numbered(
    ordinal: bytes, tmp_path: Path
) -> None:
    content = r.lines([*ENTRIES[:3], r.call("call_1"), r.message("user", "on"), *ENTRIES[3:]], 0)
    content[3] = content[3].replace(b'"ordinal":3,', b'"ordinal":%s,' % ordinal)
    path = r.write(tmp_path, content)
    scope = Scope((str(path),), assume="dead", now=1_800_000_000_000_000)
    report = api.check(scope, tmp_path / "journal")
    (call,) = (i for i in report.findings if i.finding.rule == "orphan-call-mid")
    assert "compact" not in call.finding.message
    assert (call.on_resume or "").startswith("the call is left out of every request")
    (unit,) = api.plan(scope, Wanted(take=(1, 2)), tmp_path / "plan.json").units
    (session,) = unit.sessions
    assert (session.before.messages, session.after.messages) == (3, 5)
    cut = r.write(tmp_path, content[:4])
    (view,) = api.inspect(Scope((str(cut),), assume="dead", sessions=(r.THREAD,)))
    assert view.leaf is not None and view.leaf.kind == "prompt"


@pytest.mark.parametrize(("base", "resumes"), [(r.THREAD, "yes"), (CHILD[:-1] + "9", "no")])
def test_only_an_absent_base_is_refused(base: str, resumes: str, tmp_path: Path) -> None:
    folder = tmp_path / "sessions/2026/03/02"
    content = r.lines(ENTRIES, 0)
    r.write(folder, content)
    origin = {"thread_id": base, "end_ordinal_exclusive": 5, "end_byte_offset": 99}
    header = r.meta(
        id=CHILD, history_mode="paginated", forked_from_id=r.THREAD, history_base=origin
    )
    r.write(folder, r.lines([header], 5), f"rollout-2026-03-02T10-00-00-{CHILD}.jsonl")
    assert resume(tmp_path, tmp_path / "journal", CHILD).resumes == resumes


GONE = [
    ("event_msg", {"type": "thread_rolled_back", "num_turns": 1}),
    ("compacted", {"message": "", "replacement_history": [r.message("user", "all")[1]]}),
]
CALL, OUTPUT = r.call("call_1"), r.output("call_1")
OTHER_FAMILY = "response_item", OUTPUT[1] | {"type": "custom_tool_call_output"}
NO_ARGUMENTS = "response_item", {k: v for k, v in CALL[1].items() if k != "arguments"}


@pytest.mark.parametrize("gone", GONE)
def test_an_open_call_that_is_not_sent_any_more_costs_nothing(
    gone: tuple[str, r.Json], tmp_path: Path
) -> None:
    entries = [r.meta(), r.message("user", "one"), r.call("call_1"), r.message("user", "two")]
    path = r.write(tmp_path, r.lines(entries))
    assert resume(path, tmp_path / "journal").loses
    late = [*entries[:3], gone, *entries[3:]]
    path = r.write(tmp_path, r.lines(late))
    assert not resume(path, tmp_path / "journal").loses


@pytest.mark.parametrize("gone", GONE)
@pytest.mark.parametrize(
    ("fault", "rule"),
    [
        ([CALL, OUTPUT, r.output("call_1", "other")], "duplicate-result"),
        ([CALL, r.call("call_1", "read_file"), OUTPUT], "duplicate-call-id"),
        ([OUTPUT, CALL], "result-before-call"),
        ([r.call("call_1", "exec command"), OUTPUT], "malformed-call"),
        ([NO_ARGUMENTS, OUTPUT], "malformed-call"),
        ([CALL, OTHER_FAMILY], "call-family"),
        ([r.call("call_1", id="bogus_1"), OUTPUT], "item-id-prefix"),
    ],
)
def test_what_is_not_sent_any_more_cannot_make_a_request_illegal(
    fault: list[tuple[str, r.Json]], rule: str, gone: tuple[str, r.Json], tmp_path: Path
) -> None:
    entries = [r.meta(), r.message("user", "one"), *fault]
    later = [r.message("user", "two"), r.message("assistant", "2")]
    for between in ([], [gone]):
        path = r.write(tmp_path, r.lines([*entries, *between, *later]))
        found = api.check(Scope((str(path),), assume="dead"), tmp_path / "journal")
        assert rule in {i.finding.rule for i in found.findings if i.on_resume}
        (state,) = found.sessions
        assert (state.legal, state.resume.loses) == (True, ()) if between else state.resume.loses


def test_a_file_of_blank_lines_is_a_note_and_no_session_to_the_client(tmp_path: Path) -> None:
    scope = Scope((str(r.write(tmp_path, b"\n \n")),), assume="dead")
    found = api.check(scope, tmp_path / "journal")
    assert [item.finding.rule for item in found.findings] == ["not-a-record"]
    assert [state.resume.resumes for state in found.sessions] == ["no"]


def test_blank_lines_between_records_cost_nothing(tmp_path: Path) -> None:
    content = r.lines(ENTRIES, 0)
    found = resume(r.write(tmp_path, [*content[:2], b"\n", *content[2:]]), tmp_path / "journal")
    assert found == Resume("codex", found.version, "yes", ())


def test_the_proof_of_an_outcome_is_named_by_its_line(tmp_path: Path) -> None:
    entries = [r.PAGINATED, r.message("user", "one"), r.call("call_1"), r.command_done("call_1")]
    path = r.write(tmp_path, [*r.lines(entries[:2], 0), b"\n", *r.lines(entries[2:], 2)])
    scope = Scope((str(path),), assume="dead")
    (found,) = [i.finding for i in api.check(scope, tmp_path / "journal").findings if i.repairs]
    assert "(line 5 holds its outcome (completed))" in found.message


HEADER = (
    b'{"id":"%s","timestamp":"2025-07-14T10:20:30.123Z","instructions":null}\n' % CHILD.encode()
)
STATE = b'{"record_type":"state"}\n'
ITEM = b'{"type":"message","role":"user","content":[{"type":"input_text","text":"one"}]}\n'


@pytest.mark.parametrize(
    ("content", "old"),
    [
        (HEADER + STATE + ITEM, True),
        (HEADER + STATE, True),  # a session in which nothing was said
        (HEADER.replace(b'"instructions"', b'"title"') + ITEM, False),
    ],
)
def test_the_form_of_mid_2025_is_named_and_not_judged(
    content: bytes, old: bool, tmp_path: Path
) -> None:
    scope = Scope((str(r.write(tmp_path, content)),), assume="dead")
    report = api.check(scope, tmp_path / "journal")
    (found,), (state,) = report.findings, report.sessions
    assert ("Codex wrote in mid-2025" in found.finding.message) == old
    assert (found.finding.rule, report.verdict) == ("unknown-type", "clean")
    assert (state.resume.client, state.resume.resumes) == (
        ("codex", "no") if old else (None, "unknown")
    )


@pytest.mark.parametrize(
    ("name", "resumes"),
    [("state_5.sqlite", "unknown"), ("thread_history_1.sqlite", "unknown"), ("a.sqlite", "yes")],
)
def test_sessions_are_told_of_a_database_of_their_home_that_is_none(
    name: str, resumes: str, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    r.write(home / "sessions/2026/03/02", r.lines(ENTRIES, 0))
    (home / name).write_bytes(b"garbage" * 100)
    found = resume(home, tmp_path / "journal")
    assert (found.resumes, found.loses != ()) == (resumes, resumes == "unknown")


def test_a_session_is_refused_for_what_it_continues_from(tmp_path: Path) -> None:
    """The base of its base is shorter than what is used of it."""
    base, middle = r.lines(ENTRIES, 0), "019c0000-0000-7000-8000-000000000003"
    end = sum(map(len, base))
    r.write(tmp_path, base[:-1])
    one = r.lines([_from(middle, r.THREAD, 5, end), r.message("user", "two")], 5)
    (tmp_path / r.NAME.replace(r.THREAD, middle)).write_bytes(b"".join(one))
    two = r.lines([_from(CHILD, middle, 7, sum(map(len, one))), r.message("user", "three")], 7)
    (tmp_path / r.NAME.replace(r.THREAD, CHILD)).write_bytes(b"".join(two))
    for session, resumes in ((r.THREAD, "yes"), (middle, "no"), (CHILD, "no")):
        assert resume(tmp_path, tmp_path / "journal", session).resumes == resumes


def _from(thread: str, base: str, ordinal: int, end: int) -> tuple[str, r.Json]:
    used = {"thread_id": base, "end_ordinal_exclusive": ordinal, "end_byte_offset": end}
    forked = {"forked_from_id": base, "forked_from_ordinal_exclusive": ordinal}
    return r.meta(id=thread, history_mode="paginated", history_base=used, **forked)
