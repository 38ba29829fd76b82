"""Parts with which the client cannot send any message (measured on 1.18.33)."""

from typing import Any

from suture.stores.opencode.values import at

_INLINED = ("text/plain", "application/x-directory")  # not sent: a text beside them holds them
_SCHEMES = ("http:", "https:", "data:")


def unsendable(part: Any, role: Any) -> str | None:
    """Why a part of a message of that role cannot be sent."""
    kind = at(part, "type")
    if kind == "text" or (kind == "reasoning" and role == "assistant"):
        return None if isinstance(part.get("text"), str) else f"a {kind} part without a text"
    if kind != "file" or role != "user" or part.get("mime") in _INLINED:
        return None
    mime, url = part.get("mime"), part.get("url")
    if not isinstance(mime, str) or not isinstance(url, str):
        return "a file part without a type or an address"
    if ":" in url and not url.startswith(_SCHEMES):
        return "a file part whose address is neither http nor data"
    return None
