"""The items that Codex sends of a rollout are those that suture counts as sent."""

import json
from pathlib import Path

import pytest
from harness import run
from packages import CODEX_0_171
from story import require

from suture.stores.codex.scan import read_rollout

pytestmark = pytest.mark.clients

CASES = Path(__file__).parents[1] / "cases"
RESUME = ("exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "resume")
THREAD = "019cab50-22b6-79bf-a8a0-fd2c72ac9b2d"


@pytest.mark.parametrize(
    "case",
    [
        "bad-shape/codex-blocks-that-no-client-reads",
        "bad-shape/codex-compaction-with-a-call-without-action",
        "bad-shape/codex-keys-of-another-type",
        "bad-shape/codex-rare-items-that-no-client-reads",
        "bad-shape/near-miss-codex-compaction-with-rare-items",
        "bad-shape/near-miss-codex-every-block-that-it-reads",
        "bad-shape/near-miss-codex-message-of-the-system",
        "bad-shape/near-miss-codex-rare-items-that-it-reads",
        "malformed-call/codex-no-name",
    ],
)
def test_sent(case: str, tmp_path: Path) -> None:
    require(CODEX_0_171)
    (source,) = (CASES / case / "before").glob("*.jsonl")
    home = tmp_path / "home"
    rollout = home / ".codex/sessions/2026/03/02" / source.name
    rollout.parent.mkdir(parents=True)
    content = source.read_bytes()
    rollout.write_bytes(content.replace(b'"model_provider":"openai"', b'"model_provider":"local"'))
    request = run(CODEX_0_171, home, [*RESUME, THREAD, "And now?"], [{"text": "Done."}]).request
    sent = {item.get("id") for item in request["input"]}
    counted = read_rollout(0, source.name, memoryview(content)).records
    for line, record in zip(content.splitlines(), counted, strict=True):
        id = json.loads(line)["payload"].get("id")
        if id is not None and record.type.startswith("response_item/"):
            assert (id in sent) == record.sent, line
