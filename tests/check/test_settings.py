"""What is told and what fails: options, suture.toml, pyproject.toml, in this order."""

from pathlib import Path

import pytest
from commandline import SAMPLES, suture

from suture import api
from suture.model.scope import Scope

STORE = SAMPLES / "eventlog/interrupted"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    below = tmp_path / "deep/er"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    return tmp_path


def rules(*options: str) -> list[str]:
    told = suture("check", STORE, "--format", "json", *options).json["findings"]
    return [f"{item['rule']} {item['severity']}" for item in told]


ALL = [
    "open-turn error",
    "unhandled-interruption error",
    "orphan-call-tail error",
    "stale-running warn",
]


@pytest.mark.parametrize(
    ("options", "left"),
    [
        ((), ALL),
        (("--select", "301"), [ALL[2]]),
        (("--select", "3"), [ALL[2]]),
        (("--select", "open-turn,3"), [ALL[0], ALL[2]]),
        (("--ignore", "7"), [ALL[2]]),
        (("--select", "7", "--ignore", "70", "--select", "3"), [ALL[2]]),
        (
            ("--severity", "7=off", "--severity", "705=info"),
            ["unhandled-interruption info", ALL[2]],
        ),
        (("--severity", "orphan-call-tail=warn", "--select", "301"), ["orphan-call-tail warn"]),
    ],
)
def test_rules_are_chosen_by_name_code_and_family(
    options: tuple[str, ...], left: list[str]
) -> None:
    assert rules(*options) == left


def test_the_verdict_counts_what_is_left() -> None:
    done = suture("check", STORE, "--ignore", "3,704,705", "--format", "json")
    assert (done.code, done.json["verdict"]) == (0, "findings")
    assert done.json["summary"]["left_out"] == 3
    (session,) = done.json["sessions"]
    everything = suture("check", STORE, "--format", "json").json["sessions"][0]
    assert session == everything, "what a resume finds does not depend on what is told"
    assert "3 findings left out" in suture("check", STORE, "--ignore", "3,704,705").out


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--fail-on", "never"), 0),
        (("--select", "701"), 0),
        (("--select", "701", "--fail-on", "warn"), 1),
        (("--severity", "701=info", "--select", "701", "--fail-on", "info"), 1),
    ],
)
def test_fail_on_decides_the_exit_code(options: tuple[str, ...], code: int) -> None:
    assert suture("check", STORE, *options).code == code


@pytest.mark.parametrize("name", ["suture.toml", "pyproject.toml"])
def test_a_file_above_the_working_folder_says_the_same(folder: Path, name: str) -> None:
    at = "" if name == "suture.toml" else "tool.suture."
    head = f"[{at.rstrip('.')}]\n" if at else ""
    text = (
        f'{head}select = ["7"]\nignore = ["705"]\nfail-on = "warn"\n[{at}severity]\n704 = "off"\n'
    )
    (folder / name).write_text(text, "utf-8")
    assert rules() == [ALL[3]]
    assert suture("check", STORE).code == 1
    assert rules("--ignore", "701", "--severity", "704=info") == ["open-turn info", ALL[1]]
    assert suture("check", STORE, "--fail-on", "never").code == 0


def test_suture_toml_wins_over_pyproject(folder: Path) -> None:
    (folder / "deep/pyproject.toml").write_text(
        '[tool.suture]\nselect = ["3"]\nfail-on = "never"\n', "utf-8"
    )
    (folder / "suture.toml").write_text('select = ["701"]\n', "utf-8")
    assert rules() == [ALL[3]]
    assert suture("check", STORE, "--select", "3").code == 0


def test_paths_of_a_file_are_seen_from_its_folder(folder: Path) -> None:
    (folder / "suture.toml").write_text('baseline = "known.json"\ncache = "cache"\n', "utf-8")
    assert suture("check", STORE).code == 2, "there is no such baseline yet"
    assert suture("check", STORE, "--write-baseline", folder / "known.json").code == 0
    assert suture("check", STORE).code == 0
    assert (folder / "cache/check.json").exists()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("colour = 1", "unknown key 'colour'"),
        ('select = "301"', "select is not a list"),
        ('select = ["no-such-rule"]', "no rule 'no-such-rule'"),
        ('ignore = ["95"]', "no rule '95'"),
        ('severity = {"301" = "loud"}', "severity says 'loud'"),
        ('fail-on = "fatal"', "fail-on says 'fatal'"),
        ('allow-empty = "yes"', "allow-empty is neither"),
        ('side-effects = {"deploy" = "much"}', "side-effects says 'much'"),
        ("baseline = 1", "baseline is not a path"),
        ("select = [", "suture.toml"),
    ],
)
def test_errors_name_the_file_and_the_key(folder: Path, text: str, complaint: str) -> None:
    (folder / "suture.toml").write_text(text, "utf-8")
    done = suture("check", STORE)
    assert done.code == 2
    assert str(folder / "suture.toml") in done.err
    assert complaint in done.err


def test_options_that_mean_nothing_are_usage_errors() -> None:
    for options in (("--severity", "301"), ("--severity", "301=loud"), ("--ignore", "none-such")):
        assert suture("check", STORE, *options).code == 2


def test_side_effects_of_tools_are_the_users_to_say(folder: Path) -> None:
    def effects() -> list[tuple[str, str]]:
        scope = Scope((str(STORE),), side_effects=api.side_effects())
        _, rows = api.ask(scope, "select name, side_effect from call order by n")
        return [(str(name), str(effect)) for name, effect in rows]

    assert effects() == [("shell", "local"), ("deploy", "external")]
    (folder / "pyproject.toml").write_text(
        '[tool.suture.side-effects]\ndeploy = "local"\nshell = "external"\n', "utf-8"
    )
    (folder / "suture.toml").write_text('[side-effects]\nshell = "none"\n', "utf-8")
    assert effects() == [("shell", "none"), ("deploy", "local")]
    assert "side effect local" in suture("inspect", STORE, "--session", SESSION).out


SESSION = "b7f0c7d2-4a7e-4d35-9d0e-6f4c1b1f0a02"


def test_nothing_there_is_clean_only_when_asked(folder: Path) -> None:
    (folder / "empty").mkdir()
    (folder / "empty/notes.txt").write_text("none", "utf-8")
    (folder / "broken.db").write_text("not a database", "utf-8")
    for typed in (folder / "empty", folder / "*.jsonl"):
        assert suture("check", typed).code == 3
        done = suture("check", typed, "--allow-empty", "--format", "json")
        assert (done.code, done.json["verdict"]) == (0, "clean")
        assert suture("check", typed, "--allow-empty").code == 0
    for typed in (folder / "missing", folder / "broken.db", folder / "empty/notes.txt"):
        assert suture("check", typed, "--allow-empty").code == 3


def test_allow_empty_hides_no_damage() -> None:
    assert suture("check", STORE, "--allow-empty").code == 1
