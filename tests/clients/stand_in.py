"""A model provider on the loopback that plays scripted answers and keeps every request.

Run as a script inside the client's network namespace: `stand_in.py PORT LOG STEPS`, STEPS being a
JSON list. A step is {"thinking", "text", "tools": [{"name", "input"}], "input_tokens", "stall",
"breaks", "refused"}, all optional: thinking is signed over all that was said before it; a stalled
step sends its blocks, makes the file that `stall` names and never ends the stream; one that breaks
sends its blocks and an error once the file is there; a refused one is an error at once. After the
last step plain texts follow.
It speaks the streamed forms of Anthropic Messages and OpenAI Responses, and imports nothing of
this project, so that it starts quickly.
"""

import json
import sys
import time
import uuid
from collections.abc import Iterable, Iterator
from hashlib import sha512
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock
from typing import IO, Any

Step = dict[str, Any]
Event = dict[str, Any]

REFUSAL: Event = {
    "type": "error",
    "error": {"type": "invalid_request_error", "message": "refused by the stand-in"},
}


def await_file(path: Path) -> None:
    end = time.monotonic() + 60
    while not path.exists() and time.monotonic() < end:
        time.sleep(0.05)


def tokens_of(step: Step) -> int:
    """A step may claim to have filled the context, which makes the client compact it."""
    return int(step.get("input_tokens", 10))


def messages_usage(step: Step) -> Event:
    return {
        "input_tokens": tokens_of(step),
        "output_tokens": 5,
        "cache_read_input_tokens": 0,
        "cache_creation_input_tokens": 0,
    }


def responses_usage(step: Step) -> Event:
    tokens = tokens_of(step)
    return {
        "input_tokens": tokens,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 5,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": tokens + 5,
    }


def fresh(prefix: str, length: int = 20) -> str:
    return prefix + uuid.uuid4().hex[:length]


class Script:
    """The steps still to play, and the log."""

    def __init__(self, steps: list[Step], log: IO[str]) -> None:
        self._steps = steps
        self._log = log
        self._lock = Lock()
        self._played = 0

    def record(self, path: str, body: Any) -> None:
        with self._lock:
            self._log.write(json.dumps({"path": path, "body": body}) + "\n")
            self._log.flush()

    def next(self) -> Step:
        with self._lock:
            number, self._played = self._played, self._played + 1
        return self._steps[number] if number < len(self._steps) else {"text": f"done {number}"}


def plays_a_step(body: dict[str, Any]) -> bool:
    """Titles and the like carry no tools; a compaction carries none either, but says summary."""
    if body.get("tools"):
        return True
    return "summary" in json.dumps(body.get("messages", [])[-1:]).lower()


def signature(said: Iterable[tuple[str, Event]]) -> str:
    """As newer models sign their thinking: another history gives another signature. `said`: role
    and block in order; what a client tells in the user's name at every start does not count."""
    known = sha512()
    for role, block in said:
        match block:
            case {"type": "text", "text": str(text)}:
                told = "" if text.startswith("<system-reminder>") else text.strip()
            case {"type": "tool_use", "id": id, "input": given}:
                told = json.dumps([id, given], sort_keys=True)
            case {"type": "tool_result", "tool_use_id": id, "content": content}:
                told = json.dumps([id, texts(content)])
            case {"type": "thinking", "signature": told}:
                pass
            case _:
                told = ""
        known.update(f"{role} {told}\n".encode() if told else b"")
    return known.hexdigest()


def texts(content: Any) -> list[str]:
    return [content] if isinstance(content, str) else [b.get("text", "") for b in content]


def said_in(messages: list[Event]) -> Iterator[tuple[str, Event]]:
    for message in messages:
        content = message["content"]
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        yield from ((message["role"], block) for block in content)


def message_blocks(step: Step, messages: list[Event]) -> list[Event]:
    blocks: list[Event] = []
    if step.get("thinking"):
        proof = signature(said_in(messages))
        blocks.append({"type": "thinking", "thinking": step["thinking"], "signature": proof})
    blocks += [{"type": "text", "text": step["text"]}] if step.get("text") else []
    calls: list[Event] = [
        {"type": "tool_use", "id": fresh("toolu_"), **t} for t in step.get("tools", [])
    ]
    return blocks + calls


def message_events(message: Event, blocks: list[Event]) -> Iterator[Event]:
    yield {
        "type": "message_start",
        "message": {**message, "content": [], "stop_reason": None},
    }
    for index, block in enumerate(blocks):
        start, *deltas = pieces(block)
        yield {"type": "content_block_start", "index": index, "content_block": start}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}


def pieces(block: Event) -> Iterator[Event]:
    """How a block begins, and what is added to it."""
    match block["type"]:
        case "text":
            yield {"type": "text", "text": ""}
            yield {"type": "text_delta", "text": block["text"]}
        case "thinking":
            yield {"type": "thinking", "thinking": "", "signature": ""}
            yield {"type": "thinking_delta", "thinking": block["thinking"]}
            yield {"type": "signature_delta", "signature": block["signature"]}
        case _:
            yield {**block, "input": {}}
            yield {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}


def response_items(step: Step) -> list[Event]:
    items: list[Event] = []
    if step.get("text"):
        content = [{"type": "output_text", "text": step["text"], "annotations": []}]
        items.append(
            {"type": "message", "id": fresh("msg_"), "role": "assistant", "content": content}
        )
    for tool in step.get("tools", []):
        call = {"id": fresh("fc_"), "call_id": fresh("call_"), "name": tool["name"]}
        items.append({"type": "function_call", **call, "arguments": json.dumps(tool["input"])})
    return items


class Answering(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    script: Script

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self.reply(Event())

    def do_GET(self) -> None:
        self.reply({"object": "list", "data": [], "models": []})

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        body: dict[str, Any] = json.loads(raw) if raw else {}
        if "count_tokens" in self.path:
            self.reply({"input_tokens": 100})
        elif "/messages" in self.path:
            self.answer_messages(body)
        elif "/responses" in self.path:
            self.script.record(self.path, body)
            self.answer_responses()
        else:
            self.reply({})

    def answer_messages(self, body: dict[str, Any]) -> None:
        main = plays_a_step(body)
        if main:
            self.script.record(self.path, body)
        step = self.script.next() if main else {"text": "Untitled"}
        if step.get("refused"):
            self.reply(REFUSAL, 400)
            return
        blocks = message_blocks(step, body["messages"])
        stop = "tool_use" if step.get("tools") else "end_turn"
        message: Event = {
            "id": fresh("msg_"),
            "type": "message",
            "role": "assistant",
            "model": body.get("model"),
            "stop_sequence": None,
            "usage": messages_usage(step),
        }
        if not body.get("stream"):
            self.reply({**message, "content": blocks, "stop_reason": stop})
            return
        ending: list[Event] = [
            {
                "type": "message_delta",
                "delta": {"stop_reason": stop, "stop_sequence": None},
                "usage": {"output_tokens": 5},
            },
            {"type": "message_stop"},
        ]
        events = [*message_events(message, blocks)]
        if step.get("stall"):
            events.pop()  # the last block stays open too
        self.stream(events, ending, step)

    def answer_responses(self) -> None:
        step, id = self.script.next(), fresh("resp_")
        items = response_items(step)
        events: list[Event] = [{"type": "response.created", "response": {"id": id}}]
        events += [
            {"type": "response.output_item.done", "output_index": index, "item": item}
            for index, item in enumerate(items)
        ]
        response = {"id": id, "output": items, "usage": responses_usage(step)}
        self.stream(events, [{"type": "response.completed", "response": response}], step)

    def reply(self, answer: Event, status: int = 200) -> None:
        data = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def stream(self, events: list[Event], ending: list[Event], step: Step) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        stall = step.get("stall")
        for event in events:
            self.send(event)
        if stall:
            Path(stall).touch()
            time.sleep(600)
        if step.get("breaks"):
            await_file(Path(step["breaks"]))
            ending = [REFUSAL]
        for event in ending:
            self.send(event)

    def send(self, event: Event) -> None:
        self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
        self.wfile.flush()


def serve(port: int, log: IO[str], steps: list[Step]) -> None:
    Answering.script = Script(steps, log)
    ThreadingHTTPServer(("127.0.0.1", port), Answering).serve_forever()


if __name__ == "__main__":
    with Path(sys.argv[2]).open("a", encoding="utf-8") as log:
        serve(int(sys.argv[1]), log, json.loads(sys.argv[3]))
