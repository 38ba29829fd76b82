"""`check --format json` is what schemas/check.schema.json says."""

import json
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]  # it ships no types
import pytest
from commandline import STORES, sample, suture

from suture import schemas

SCHEMA = json.loads(schemas.text("check.schema.json"))


@pytest.mark.parametrize("folder", STORES, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_a_sample_is_told_as_the_schema_says(folder: Path) -> None:
    done = suture("check", folder, "--format", "json")
    jsonschema.validate(done.json, SCHEMA)
    assert done.json["sessions"]
    assert done.code == (done.json["verdict"] == "damaged")
    assert (done.json["verdict"] == "clean") is (folder.name == "healthy")


def test_baselines_and_caches_are_told_as_the_schema_says(tmp_path: Path) -> None:
    store = sample("eventlog", tmp_path / "store")
    baseline, cache = tmp_path / "known.json", tmp_path / "cache"
    words = ("check", store, "--format", "json", "--cache", cache)
    suture(*words, "--write-baseline", baseline)
    path = next(store.glob("interrupted/*.jsonl"))
    path.write_bytes(path.read_bytes().replace(b"call-2", b"call-9"))
    told = suture(*words, "--baseline", baseline).json
    jsonschema.validate(told, SCHEMA)
    assert told["stale"] and told["unchanged"]
    assert {item["known"] for item in told["findings"]} == {True, False}


def test_the_schema_refuses_what_it_does_not_know() -> None:
    told = suture("check", STORES[0], "--format", "json").json
    told["findings"].append({"code": "301"})
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(told, SCHEMA)
