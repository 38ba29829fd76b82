"""A next command that is printed works as it stands when it is pasted."""

import re
import shlex
import shutil
from pathlib import Path

import pytest
from commandline import Done, sample, suture

CASES = Path(__file__).parent.parent / "cases"


def pasted(done: Done) -> list[str]:
    """The words behind `suture` of the command that is named."""
    (line,) = re.findall(r"^(?:next|to take it back): (?:.*`)?suture ([^`\n]*)", done.out, re.M)
    return shlex.split(line)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SUTURE_JOURNAL", raising=False)
    return sample("claude-code/torn-and-glued", tmp_path / "a store")


def test_from_a_check_to_an_undo_what_was_typed_goes_along(store: Path, tmp_path: Path) -> None:
    before = {path: path.read_bytes() for path in store.rglob("*") if path.is_file()}
    journal = tmp_path / "my journal"
    typed = ("--as", "claude-code", "--assume", "dead", "--journal", str(journal))
    plan = pasted(suture("check", store, *typed))
    assert sorted(plan) == sorted(("plan", str(store), "-o", "plan.json", *typed))
    apply = pasted(suture(*plan))
    assert apply == ["apply", "plan.json", "--journal", str(journal)]
    undo = pasted(suture(*apply, "--yes"))
    assert list(journal.iterdir()), "the journal that was typed"
    assert suture(*undo, "--yes").code == 0
    assert {path: path.read_bytes() for path in before} == before


def test_what_stands_in_the_environment_is_not_said_again(
    store: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SUTURE_JOURNAL", str(tmp_path / "journal"))
    assert "--journal" not in pasted(suture("check", store, "--assume", "dead"))


@pytest.mark.parametrize(
    "words",
    [
        ("inspect", "--as", "claude-code"),
        ("load", "--assume", "dead", "--db", "out.duckdb"),
    ],
)
def test_what_other_commands_name_runs(store: Path, words: tuple[str, ...]) -> None:
    again = pasted(suture(words[0], store, *words[1:]))
    assert suture(*again).code in (0, 1)


def test_a_plan_of_numbered_repairs_names_the_whole_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    typed = ("--assume", "dead", "--skip", "101", "--skip", "106", "--no-content", "--in-place")
    calls = shutil.copytree(CASES / "malformed-call/claude-arguments-are-text/before", "calls")
    done = suture("plan", calls, *typed, "--answer-text", "ask Ann", "-o", "the plan.json")
    again = pasted(done)
    answer = ("--answer-text", "ask Ann")
    assert sorted(again[1:]) == sorted(
        (calls, *typed, *answer, "--take", "1", "-o", "the plan.json")
    )
    assert pasted(suture(*again)) == ["apply", "the plan.json"]


def test_a_number_means_the_same_when_another_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("claude-arguments-are-text", "codex-half-arguments"):
        shutil.copytree(CASES / "malformed-call" / name / "before", name[:6].rstrip("-"))
    plan = ("plan", "claude", "codex", "--assume", "dead", "-o", "plan.json")
    both = suture(*plan).out
    assert "--take 1: " in both and "--take 2: " in both
    assert "plans the first of the 2 numbered repairs" in both
    left = suture(*plan, "--take", "1").out
    assert "--take 1: " not in left and "--take 2: " in left


@pytest.mark.parametrize(
    ("case", "name"), [("missing-summary", "rules"), ("unknown-type", "check")]
)
def test_where_there_is_no_repair_too(case: str, name: str) -> None:
    words = pasted(suture("check", CASES / case / "claude" / "before", "--assume", "dead"))
    assert words[0] == name
    assert suture(*words).code == 0
