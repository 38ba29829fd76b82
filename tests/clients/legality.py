"""What a provider would refuse in a request."""

from typing import Any

import stand_in

Block = dict[str, Any]


def violations(request: dict[str, Any]) -> list[str]:
    return _messages(request) if "messages" in request else _responses(request)


def blocks_of(content: Any) -> list[Block]:
    return content if isinstance(content, list) else [{"type": "text", "text": content}]


def turns(request: dict[str, Any]) -> list[tuple[str, list[Block]]]:
    """The messages as the provider takes them: neighbours of one role are one message."""
    joined: list[tuple[str, list[Block]]] = []
    for message in request["messages"]:
        if message["role"] not in ("user", "assistant"):
            continue  # what a client tells in a system message belongs to no turn
        if joined and joined[-1][0] == message["role"]:
            joined[-1][1].extend(blocks_of(message["content"]))
        else:
            joined.append((message["role"], list(blocks_of(message["content"]))))
    return joined


def _messages(request: dict[str, Any]) -> list[str]:
    found: list[str] = []
    seen: set[str] = set()
    joined = turns(request)
    if joined and joined[0][0] != "user":
        found.append("the first message is not the user's")
    for number, (role, blocks) in enumerate(joined):
        if not blocks:
            found.append(f"message {number} is empty")
        found += [f"empty text in message {number}" for b in blocks if _empty(b)]
        if role == "assistant":
            calls = [b["id"] for b in blocks if b["type"] == "tool_use"]
            after = joined[number + 1][1] if number + 1 < len(joined) else []
            answered = [b["tool_use_id"] for b in after if b["type"] == "tool_result"]
            found += [f"call id used twice: {c}" for c in calls if c in seen or calls.count(c) > 1]
            found += [f"call without result: {c}" for c in calls if c not in answered]
            seen.update(calls)
        else:
            before = joined[number - 1][1] if number else []
            asked = {b["id"] for b in before if b["type"] == "tool_use"}
            results = [b["tool_use_id"] for b in blocks if b["type"] == "tool_result"]
            found += [f"result without call: {r}" for r in results if r not in asked]
            found += [f"two results of {r}" for r in set(results) if results.count(r) > 1]
            kinds = [b["type"] == "tool_result" for b in blocks]
            if kinds != sorted(kinds, reverse=True):
                found.append(f"a result behind other content in message {number}")
    return found + _foreign_thinking(request)


def _foreign_thinking(request: dict[str, Any]) -> list[str]:
    """Signed over a history that is not the one before it."""
    said = list(stand_in.said_in(request["messages"]))
    return [
        f"thinking of another history: {block['thinking']}"
        for at, (_, block) in enumerate(said)
        if block["type"] == "thinking" and block["signature"] != stand_in.signature(said[:at])
    ]


def _empty(block: Block) -> bool:
    return block["type"] == "text" and not block["text"].strip()


def _responses(request: dict[str, Any]) -> list[str]:
    found: list[str] = []
    calls: list[str] = []
    answered: list[str] = []
    for item in request["input"]:
        kind, call = item.get("type", ""), item.get("call_id")
        if kind.endswith("_call_output"):
            found += [f"output without call: {call}"] if call not in calls else []
            found += [f"two outputs of {call}"] if call in answered else []
            answered.append(call)
        elif kind.endswith("_call") and call:
            found += [f"call id used twice: {call}"] if call in calls else []
            calls.append(call)
    return found + [f"call without output: {c}" for c in calls if c not in answered]
