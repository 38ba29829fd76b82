"""Every kind of fault that we can put into a healthy session is found, at its line, by its rule."""

import json
import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

import pytest
from faults import FAULTS, Hurt
from healthy import Lines, claude, codex, number

from suture import api
from suture.model.finding import Finding, Severity
from suture.model.place import Span
from suture.model.scope import Scope

SEEDS = (1, 2, 3)


def lines_of(store: str, rng: random.Random, session: str) -> Lines:
    return claude(rng, session) if store == "claude" else codex(rng, session, store == "paginated")


def path_of(store: str, session: str) -> str:
    return (
        f"{session}.jsonl" if store == "claude" else f"rollout-2026-03-02T09-00-00-{session}.jsonl"
    )


def rendered(lines: Lines, hurt: Hurt | None) -> Iterator[bytes]:
    if any(line.obj.get("ordinal", 0) is None for line in lines):
        number(lines)
    for at, line in enumerate(lines):
        data = json.dumps(line.obj, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        yield hurt.change(data) if hurt is not None and hurt.at == at else data


Key = tuple[str, str, int]  # store, fault ("" for none), seed


@dataclass(frozen=True)
class Corpus:
    line: dict[Key, int]  # where the fault is
    found: dict[Key, list[Finding]]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    root = tmp_path_factory.mktemp("corpus")
    names: dict[str, Key] = {}
    at: dict[Key, int] = {}
    for store, faults in FAULTS.items():
        for seed in SEEDS:
            for fault in ("", *faults):
                rng = random.Random(f"{store} {fault} {seed}")
                session = str(UUID(int=rng.getrandbits(128), version=4))
                lines = lines_of(store, rng, session)
                hurt = faults[fault][0](lines, rng) if fault else None
                data = list(rendered(lines, hurt))
                path = root / f"{store}-{fault or 'healthy'}-{seed}" / path_of(store, session)
                path.parent.mkdir()
                path.write_bytes(b"".join(data))
                names[str(path)] = store, fault, seed
                if hurt is not None:
                    at[store, fault, seed] = 1 + b"".join(data[: hurt.at]).count(b"\n")
    found: dict[Key, list[Finding]] = defaultdict(list)
    for reported in api.check(Scope((str(root),), assume="dead")).findings:
        place = reported.finding.place
        assert isinstance(place, Span)
        found[names[place.path]].append(reported.finding)
    return Corpus(at, found)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("store", "fault"), [(store, fault) for store, faults in FAULTS.items() for fault in faults]
)
def test_fault_is_found_at_its_line(corpus: Corpus, store: str, fault: str, seed: int) -> None:
    accepted, line = FAULTS[store][fault][1], corpus.line[store, fault, seed]
    told = [
        (f.rule, f.place.line)
        for f in corpus.found[store, fault, seed]
        if isinstance(f.place, Span)
    ]
    assert {rule for rule, at in told if at == line} & accepted, (line, told)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("store", FAULTS)
def test_healthy_sessions_give_nothing(corpus: Corpus, store: str, seed: int) -> None:
    found = corpus.found.get((store, "", seed), [])
    assert [f.message for f in found if f.severity > Severity.INFO] == []
