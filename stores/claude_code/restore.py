"""The outcome of a call that another file of the session holds."""

import json
import posixpath

from suture.model.answer import restored_text
from suture.model.errors import Unsupported
from suture.model.files import Files
from suture.model.operation import Restore
from suture.stores.claude_code.added import Reply
from suture.stores.claude_code.answers import put_result
from suture.stores.claude_code.draft import Draft
from suture.stores.claude_code.sidecars import folder_of

_MOST = 30_000  # characters; the client itself spills longer outputs


def restore(draft: Draft, owner: int, operation: Restore, files: Files, main: str) -> str:
    path = posixpath.join(folder_of(main), operation.evidence)
    try:
        data = bytes(files.data(path))
    except (OSError, EOFError) as error:
        raise Unsupported(f"{operation.evidence} cannot be read any more") from error
    found = _last_word(data) if path.endswith(".jsonl") else data.decode("utf-8", "replace")
    if len(found) > _MOST:
        found = f"{found[:_MOST]}\n(cut here; the whole is in {operation.evidence})"
    text = restored_text(operation.evidence, found.replace("\0", "\N{SYMBOL FOR NULL}"))
    return put_result(draft, owner, draft.entry(operation.n), Reply(operation.call_id, text, False))


def _last_word(data: bytes) -> str:
    """The text of the last answer of a subagent."""
    for line in reversed(data.split(b"\n")):
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and value.get("type") == "assistant":
            return _text(value.get("message"))
    return ""


def _text(message: object) -> str:
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    texts = [b.get("text") for b in blocks if isinstance(b, dict) and b.get("type") == "text"]
    return "\n".join(text for text in texts if isinstance(text, str))
