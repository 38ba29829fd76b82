"""The words of a result that suture adds: they claim nothing that the store does not prove."""

from suture.model.operation import Outcome

MARK = "[suture]"  # every added text starts with it; readers take it as "added, not evidence"

_BODY = {
    Outcome.UNKNOWN: (
        "Execution of this {tool} call was interrupted and its result is unknown: the session "
        "ended before a result was stored. The action may have taken effect, in part or in full. "
        "Check the current state before repeating it."
    ),
    Outcome.NEVER_STARTED: (
        "This {tool} call did not run: the session was interrupted before it was started. "
        "Nothing was changed by it. Decide again whether it is still wanted."
    ),
}


# What is still said where the words are the user's own: no wording may make a result of it.
_KNOWN = {
    Outcome.UNKNOWN: "The result of this {tool} call is unknown: it may have taken effect.",
    Outcome.NEVER_STARTED: "This {tool} call did not run.",
}


def answer_text(
    tool: str | None, outcome: Outcome, last_time: str | None, words: str | None = None
) -> str:
    """`words`: what the user wants to be said in place of our own sentences."""
    body = (_BODY if words is None else _KNOWN)[outcome].format(tool=tool or "tool")
    body = body if words is None else f"{words}\n{body}"
    stamp = f" Last stored record: {last_time}." if last_time else ""
    return f"{MARK} {body}{stamp}"


def restored_text(evidence: str, payload: str) -> str:
    """A proven outcome in our own frame, never in the tool's."""
    return (
        f"{MARK} The result of this call was lost when the session was interrupted; "
        f"its outcome is restored from {evidence}:\n{payload}"
    )


def note_text(tools: tuple[str, ...], last_time: str | None) -> str:
    names = ", ".join(tools) or "no tool"
    stamp = f" The last stored record is of {last_time}." if last_time else ""
    return (
        f"{MARK} The session was interrupted here. Unfinished tool calls were taken out of this "
        f"history: {names}. Their outcome is unknown, they may have taken effect; check the "
        f"current state before repeating them. The session goes on from this point.{stamp}"
    )


def is_marked(text: str) -> bool:
    return text.startswith(MARK)
