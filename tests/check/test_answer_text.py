"""`plan --answer-text`: the user's words reach the model, and are still no result."""

import json
from pathlib import Path

import pytest
from commandline import SAMPLES, sample, suture

from suture import api
from suture.model.scope import Scope

WORDS = 'ask "ops" on call, then go on\nit was the deploy'
STORES = {
    "claude-code": "claude-code/killed-in-tool",
    "codex": "codex/killed-in-tool",
    "crush": "crush/interrupted",
    "eventlog": "eventlog/interrupted",
    "gemini": "gemini/interrupted",
    "google-adk": "google_adk/killed-in-tool",
    "goose": "goose/interrupted",
    "laxcode": "laxcode/interrupted",
    "mapped": "seqstore/damaged",
    "openai-agents": "openai_agents/killed-in-tool",
    "opencode": "opencode/killed-in-tool",
}


def mapped(store: str) -> list[str]:
    return ["--map", str(SAMPLES / "seqstore" / "seqstore.toml")] if store == "mapped" else []


def test_every_store_that_answers_is_tried() -> None:
    assert {s.name for s in api.stores() if s.supports().get("Answer") == "yes"} <= STORES.keys()


@pytest.mark.parametrize("store", STORES)
def test_the_words_stand_in_the_result_and_it_stays_marked(store: str, tmp_path: Path) -> None:
    root, plan, map_ = sample(STORES[store], tmp_path / "store"), tmp_path / "p.json", mapped(store)
    typed: tuple[str | Path, ...] = (root, "--assume", "dead", *map_)
    assert suture("plan", *typed, "-o", plan, "--answer-text", WORDS).code == 1
    assert json.loads(plan.read_text())["answer_text"] == WORDS
    again = tmp_path / "again.json"
    suture("plan", *typed, "-o", again, "--answer-text", WORDS)
    assert again.read_bytes() == plan.read_bytes()
    journal: tuple[str | Path, ...] = ("--journal", tmp_path / "journal")
    assert "rolled back" not in suture("apply", plan, "--yes", *journal).out
    scope = Scope((str(root),), assume="dead", map_file=map_[1] if map_ else None)
    _, results = api.ask(scope, "select r.marked and r.placeholder from result r where r.marked")
    assert results and all(marked for (marked,) in results)
    _, parts = api.ask(scope, "select data, text from part")
    texts = [d if isinstance(d, bytes) else str(t).encode() for d, t in parts]
    said = [text for text in texts if b"on call" in text]
    assert said
    for data in said:
        text = f"[suture] {WORDS}\nThe result of this "
        assert any(form.encode() in data for form in (text, json.dumps(text)[1:-1]))
        assert b"call is unknown: it may have taken effect." in data
        assert b"session ended before" not in data
    left = suture("check", *typed, *journal, "--format", "json").json["findings"]
    assert not [found for found in left if found["rule"].startswith("orphan")]


@pytest.mark.parametrize("words", ["", "  \n", "red \x1b[31m", "half a pair \udcff"])
def test_words_that_say_nothing_or_cannot_be_shown_are_refused(words: str, tmp_path: Path) -> None:
    root = sample("codex/killed-in-tool", tmp_path / "store")
    done = suture("plan", root, "-o", tmp_path / "p.json", "--answer-text", words)
    assert done.code == 2 and "--answer-text" in done.err
    assert not (tmp_path / "p.json").exists()


def test_a_plan_without_own_words_says_nothing_of_them(tmp_path: Path) -> None:
    root = sample("codex/killed-in-tool", tmp_path / "store")
    suture("plan", root, "-o", tmp_path / "p.json", "--assume", "dead")
    assert "answer_text" not in json.loads((tmp_path / "p.json").read_text())
