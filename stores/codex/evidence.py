"""Records that prove how a call ended."""

import json

from msgspec import Struct


class Evidence(Struct, gc=False):
    """A record that tells how a call ended although no output was stored."""

    n: int
    line: int
    status: str  # completed | failed | declined


def evidence_text(event: dict[str, object]) -> str:
    """The outcome that such a record holds, in plain words."""
    source = event.get("item") if event.get("type") == "item_completed" else event
    if not isinstance(source, dict):
        return json.dumps(event, ensure_ascii=False)
    lines = [
        f"{key.replace('_', ' ')}: {source[key]}"
        for key in ("status", "success", "exit_code")
        if source.get(key) is not None
    ]
    for key in ("aggregated_output", "formatted_output", "stdout", "stderr"):
        text = source.get(key)
        if isinstance(text, str) and text:
            lines.append(f"{key.replace('_', ' ')}:\n{text}")
            if key in ("aggregated_output", "formatted_output"):
                break
    for key in ("result", "error", "changes", "content_items"):
        if source.get(key) is not None:
            lines.append(f"{key.replace('_', ' ')}: {json.dumps(source[key], ensure_ascii=False)}")
    return "\n".join(lines)
