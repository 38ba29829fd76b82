"""Made-up Claude Code transcripts: parallel calls, rewinds, compactions, lines beside messages."""

from dataclasses import dataclass, field

from invent import Inventor
from sessions import JsonObject, Record, Role, Session, Tool

_TOOLS = ["Bash", "Read", "Edit", "Grep", "Task", "mcp__db__query"]
_SUMMARY = "This session is being continued from a previous conversation. "
_TURNS_TO_COMPACTION = 40


@dataclass(slots=True)
class _Transcript:
    inventor: Inventor
    id: str
    records: list[Record] = field(default_factory=list)
    size: int = 0
    parent: str | None = None  # the line that the next one hangs off
    usage: JsonObject = field(default_factory=dict)

    def add(self, fields: JsonObject, role: Role = "other", call: str | None = None) -> None:
        record = Record(fields, role, call)
        self.records.append(record)
        self.size += len(record.encoded()) + 1

    def line(self, kind: str, role: Role, content: JsonObject, call: str | None = None) -> str:
        """Adds a line of the conversation, below the last one."""
        uuid = self.inventor.uuid()
        envelope = {
            "parentUuid": self.parent,
            "isSidechain": False,
            "userType": "external",
            "cwd": "/home/dev/proj",
            "sessionId": self.id,
            "version": "2.1.44",
            "gitBranch": "main",
            "type": kind,
        }
        stamp = {"uuid": uuid, "timestamp": self.inventor.time()}
        self.add({**envelope, **content, **stamp}, role, call)
        self.parent = uuid
        return uuid


def _invent(inventor: Inventor, size: int) -> Session:
    transcript = _Transcript(inventor, inventor.uuid())
    message = inventor.uuid()
    snapshot = {"messageId": inventor.uuid(), "trackedFileBackups": {}}
    snapshot["timestamp"] = inventor.time()
    transcript.add(
        {
            "type": "file-history-snapshot",
            "messageId": message,
            "snapshot": snapshot,
            "isSnapshotUpdate": False,
        }
    )
    turn = 0
    while transcript.size < size or turn < 2:
        turn += 1
        _turn(transcript, turn)
    title = inventor.text(30).replace("\n", " ")
    transcript.add({"type": "custom-title", "customTitle": title, "sessionId": transcript.id})
    return Session(transcript.id, transcript.records)


def _turn(transcript: _Transcript, turn: int) -> None:
    random = transcript.inventor.random
    prompt = transcript.inventor.text(random.randrange(40, 900))
    head = transcript.line("user", "message", {"message": {"role": "user", "content": prompt}})
    for _ in range(random.randrange(1, 7)):
        _step(transcript)
    _final_answer(transcript)
    _lines_between(transcript, prompt)
    if random.random() < 0.03 and turn > 2:
        transcript.parent = head  # a rewind: the next prompt starts a branch
    if turn % _TURNS_TO_COMPACTION == 0:
        _compaction(transcript)


def _step(transcript: _Transcript) -> None:
    """One response, a line for each of its blocks, and the results of its calls."""
    inventor, random = transcript.inventor, transcript.inventor.random
    message, request = "msg_01" + inventor.base62(22), "req_011" + inventor.base62(20)
    transcript.usage = {
        "input_tokens": random.randrange(9),
        "cache_creation_input_tokens": random.randrange(9000),
        "cache_read_input_tokens": random.randrange(90000),
        "output_tokens": random.randrange(2000),
        "service_tier": "standard",
    }

    def block(content: JsonObject, call: str | None = None) -> str:
        body = _response(transcript, message, content, "tool_use" if call else None)
        role: Role = "call" if call else "message"
        return transcript.line("assistant", role, {"message": body, "requestId": request}, call)

    if random.random() < 0.3:
        thinking = inventor.text(random.randrange(50, 1500))
        block({"type": "thinking", "thinking": thinking, "signature": inventor.base62(300)})
    if random.random() < 0.5:
        block({"type": "text", "text": inventor.text(random.randrange(40, 800))})
    calls: list[tuple[str, str]] = []
    for _ in range(inventor.parallel()):
        call = "toolu_01" + inventor.base62(22)
        name = random.choice(_TOOLS)
        use = {"type": "tool_use", "id": call, "name": name, "input": _input(inventor, name)}
        calls.append((call, block(use, call)))
    for call, line in calls:
        _result(transcript, call, line)


def _response(
    transcript: _Transcript, message: str, content: JsonObject, stop: str | None
) -> JsonObject:
    return {
        "model": "claude-opus-4-6",
        "id": message,
        "type": "message",
        "role": "assistant",
        "content": [content],
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": transcript.usage,
    }


def _input(inventor: Inventor, tool: str) -> JsonObject:
    if tool == "Bash":
        return {"command": inventor.text(80)}
    if tool == "Edit":
        path = "/home/dev/proj/" + inventor.base62(6) + ".py"
        old, new = inventor.text(200), inventor.text(260)
        return {"file_path": path, "old_string": old, "new_string": new}
    return {"q": inventor.text(60)}


def _result(transcript: _Transcript, call: str, line: str) -> None:
    transcript.parent = line  # each result hangs off the line of its own call
    output = transcript.inventor.output()
    failed = {"is_error": True} if transcript.inventor.random.random() < 0.04 else {}
    as_text = transcript.inventor.random.random() < 0.7
    content = output if as_text else [{"type": "text", "text": output}]
    block = {"tool_use_id": call, "type": "tool_result", "content": content, **failed}
    shown = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
    fields = {
        "message": {"role": "user", "content": [block]},
        "toolUseResult": shown,
        "sourceToolAssistantUUID": line,
    }
    transcript.line("user", "result", fields, call)


def _final_answer(transcript: _Transcript) -> None:
    inventor = transcript.inventor
    message = "msg_01" + inventor.base62(22)
    text = {"type": "text", "text": inventor.text(inventor.random.randrange(80, 1500))}
    body = _response(transcript, message, text, "end_turn")
    request = "req_011" + inventor.base62(20)
    transcript.line("assistant", "message", {"message": body, "requestId": request})


def _lines_between(transcript: _Transcript, prompt: str) -> None:
    """What a client writes beside the messages, now and then."""
    inventor, random = transcript.inventor, transcript.inventor.random
    if random.random() < 0.25:
        took = random.randrange(9000)
        fields = {"subtype": "turn_duration", "durationMs": took, "isMeta": False}
        transcript.line("system", "other", fields)
    if random.random() < 0.2:
        queued = {"type": "queue-operation", "operation": "enqueue", "timestamp": inventor.time()}
        transcript.add({**queued, "sessionId": transcript.id, "content": inventor.text(40)})
    if random.random() < 0.1:
        last = {"type": "last-prompt", "lastPrompt": prompt[:60], "sessionId": transcript.id}
        transcript.add(last)


def _compaction(transcript: _Transcript) -> None:
    before, transcript.parent = transcript.parent, None
    boundary = {
        "logicalParentUuid": before,
        "subtype": "compact_boundary",
        "content": "Conversation compacted",
        "isMeta": False,
        "level": "info",
        "compactMetadata": {"trigger": "auto", "preTokens": 160000},
    }
    transcript.line("system", "other", boundary)
    summary = {
        "message": {"role": "user", "content": _SUMMARY + transcript.inventor.text(2500)},
        "isCompactSummary": True,
        "isVisibleInTranscriptOnly": True,
    }
    transcript.line("user", "message", summary)


def _path(number: int, session: str) -> str:
    return f"projects/-home-dev-proj{number % 8}/{session}.jsonl"


def _give_call(fields: JsonObject, call: str) -> None:
    fields["message"]["content"][0]["tool_use_id"] = call


def _give_output(fields: JsonObject, output: str) -> None:
    fields["message"]["content"][0]["content"] = output
    fields["toolUseResult"]["stdout"] = "x"


CLAUDE = Tool(
    "claude",
    _invent,
    _path,
    (
        *("torn_tail", "malformed_mid", "glued", "nul_run", "bad_utf8"),
        *("orphan_call", "orphan_result", "dup_result", "dup_record", "result_before_call"),
        *("id_mismatch", "lone_surrogate", "missing_parent", "parent_cycle", "dup_uuid_conflict"),
    ),
    _give_call,
    _give_output,
)
