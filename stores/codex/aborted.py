"""The words that tell the model of an interrupted turn, in a turn that has no end yet."""

from suture.stores.codex.rollout import Rollout
from suture.stores.codex.turns import Turn

_MARK = b'"<turn_aborted>'


def is_told(rollout: Rollout, turn: Turn, end: int) -> bool:
    """Codex writes these words first and `turn_aborted` behind them: one that died in between, or
    whose last line is torn, left the words (measured on 0.140 to 0.171). `end`: n behind the last
    record that is looked at."""
    records = rollout.records
    for n in range(end - 1, turn.start_n, -1):
        if records.value("type", n).startswith("response_item/"):
            return records.value("kind", n) == "injected" and _MARK in rollout.line(n)
    return False
