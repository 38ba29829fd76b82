"""What the table `compactions` says of a compaction whose tokens the log records."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from commandline import SAMPLES, suture


def exported(tmp_path: Path, tokens: dict[str, int]) -> dict[str, object]:
    (sample,) = (SAMPLES / "claude-code" / "killed-in-tool").rglob("*.jsonl")
    lines = sample.read_text("utf-8").splitlines()
    last = json.loads(lines[-1])
    lines.append(
        json.dumps(
            {
                **{key: last[key] for key in ("sessionId", "timestamp", "version")},
                "type": "system",
                "subtype": "compact_boundary",
                "parentUuid": None,
                "logicalParentUuid": last["uuid"],
                "uuid": "5c0a1000-0000-4000-8000-0000000000b0",
                "compactMetadata": {"trigger": "manual", **tokens},
            }
        )
    )
    store = tmp_path / sample.name
    store.write_text("\n".join(lines) + "\n", "utf-8")
    assert suture("export", store, tmp_path / "out", "--to", "parquet").code == 0
    (row,) = pq.read_table(tmp_path / "out" / "compactions").to_pylist()
    return dict(row)


def test_how_much_it_saved(tmp_path: Path) -> None:
    row = exported(tmp_path, {"preTokens": 182_906, "postTokens": 21_000})
    assert row["compression_ratio"] == pytest.approx(8.71, abs=0.01)
    assert row["token_reduction"] == pytest.approx(0.885, abs=0.001)


@pytest.mark.parametrize("tokens", [{}, {"preTokens": 9}, {"preTokens": 0, "postTokens": 0}])
def test_what_is_not_recorded_is_null(tmp_path: Path, tokens: dict[str, int]) -> None:
    row = exported(tmp_path, tokens)
    assert (row["compression_ratio"], row["token_reduction"]) == (None, None)
