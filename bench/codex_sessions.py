"""Made-up Codex rollouts: half are paginated (every record numbered), half as they were before."""

import json
from dataclasses import dataclass, field

from invent import Inventor
from sessions import JsonObject, Record, Role, Session, Tool

_TOOLS = ["exec_command", "shell", "update_plan", "view_image"]
_TURNS_TO_COMPACTION = 40


@dataclass(slots=True)
class _Rollout:
    inventor: Inventor
    id: str
    paginated: bool
    records: list[Record] = field(default_factory=list)
    size: int = 0
    turn: str = ""
    history: list[str] = field(default_factory=list)  # what a compaction keeps the end of

    def add(
        self, kind: str, payload: JsonObject, role: Role = "other", call: str | None = None
    ) -> None:
        stamp = self.inventor.time()
        fields: JsonObject = {"timestamp": stamp, "type": kind, "payload": payload}
        if self.paginated:
            fields["ordinal"] = 0  # numbered when all records stand
        record = Record(fields, role, call)
        self.records.append(record)
        self.size += len(record.encoded()) + 1

    def event(self, kind: str, **fields: object) -> None:
        self.add("event_msg", {"type": kind, **fields})

    def item(self, kind: str, legacy: JsonObject, content: JsonObject) -> None:
        """The event of an item: paginated threads complete items, older ones had many events."""
        if not self.paginated:
            self.add("event_msg", legacy)
            return
        item = {"type": kind, "id": self.inventor.uuid(), **content}
        self.event("item_completed", thread_id=self.id, turn_id=self.turn, item=item)


def _invent(inventor: Inventor, size: int) -> Session:
    rollout = _Rollout(inventor, inventor.uuid(), inventor.random.random() < 0.5)
    rollout.add("session_meta", _meta(rollout), "meta")
    rules = "<permissions instructions>" + inventor.text(900)
    rollout.add("response_item", _message("developer", rules))
    turn = 0
    while rollout.size < size or turn < 2:
        turn += 1
        _turn(rollout)
        if turn % _TURNS_TO_COMPACTION == 0:
            _compaction(rollout)
    return Session(rollout.id, rollout.records, rollout.paginated)


def _meta(rollout: _Rollout) -> JsonObject:
    inventor = rollout.inventor
    meta = {
        "id": rollout.id,
        "timestamp": inventor.time(),
        "cwd": "/home/dev/proj",
        "originator": "codex_cli_rs",
        "cli_version": "0.158.0" if rollout.paginated else "0.144.0",
        "source": "cli",
        "model_provider": "openai",
        "base_instructions": {"text": inventor.text(3000)},
        "git": {"commit_hash": inventor.base62(40).lower(), "branch": "main"},
    }
    return {**meta, "history_mode": "paginated"} if rollout.paginated else meta


def _message(role: str, text: str) -> JsonObject:
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def _turn(rollout: _Rollout) -> None:
    inventor, random = rollout.inventor, rollout.inventor.random
    rollout.turn = inventor.uuid()
    rollout.event("task_started", turn_id=rollout.turn, model_context_window=272000)
    context = {
        "turn_id": rollout.turn,
        "cwd": "/home/dev/proj",
        "approval_policy": "on-request",
        "sandbox_policy": {"type": "workspace-write"},
        "model": "gpt-5.4-codex",
        "effort": "medium",
        "summary": "auto",
    }
    rollout.add("turn_context", context)
    prompt = inventor.text(random.randrange(40, 900))
    rollout.add("response_item", _message("user", prompt), "message")
    rollout.history.append(prompt)
    legacy = {"type": "user_message", "message": prompt, "images": []}
    rollout.item("UserMessage", legacy, {"content": [{"type": "text", "text": prompt}]})
    for _ in range(random.randrange(1, 7)):
        _step(rollout)
    answer = inventor.text(random.randrange(80, 1500))
    legacy = {"type": "agent_message", "message": answer}
    rollout.item("AgentMessage", legacy, {"content": [{"type": "Text", "text": answer}]})
    rollout.add("response_item", _message("assistant", answer), "message")
    rollout.history.append(answer)
    rollout.event("task_complete", turn_id=rollout.turn, last_agent_message=answer)


def _step(rollout: _Rollout) -> None:
    inventor, random = rollout.inventor, rollout.inventor.random
    if random.random() < 0.5:
        _reasoning(rollout)
    outputs: list[tuple[str, str]] = []
    for _ in range(inventor.parallel()):
        call = "call_" + inventor.base62(24)
        if random.random() < 0.2:
            rollout.add("response_item", _patch(inventor, call), "call", call)
            outputs.append((call, "custom_tool_call_output"))
        else:
            rollout.add("response_item", _function_call(inventor, call), "call", call)
            outputs.append((call, "function_call_output"))
    for call, kind in outputs:
        payload = {"type": kind, "call_id": call, "output": inventor.output()}
        rollout.add("response_item", payload, "result", call)
    usage = {
        "input_tokens": random.randrange(10**6),
        "cached_input_tokens": random.randrange(10**6),
        "output_tokens": random.randrange(10**4),
        "reasoning_output_tokens": random.randrange(10**4),
        "total_tokens": random.randrange(10**6),
    }
    info = {"total_token_usage": usage, "model_context_window": 272000}
    rollout.event("token_count", info=info, rate_limits=None)


def _reasoning(rollout: _Rollout) -> None:
    inventor = rollout.inventor
    payload = {
        "type": "reasoning",
        "summary": [{"type": "summary_text", "text": inventor.text(120)}],
        "content": None,
        "encrypted_content": "gAAAA" + inventor.base62(900),
    }
    rollout.add("response_item", payload)
    text = inventor.text(120)
    legacy = {"type": "agent_reasoning", "text": text}
    rollout.item("Reasoning", legacy, {"summary_text": [text]})


def _patch(inventor: Inventor, call: str) -> JsonObject:
    return {
        "type": "custom_tool_call",
        "status": "completed",
        "call_id": call,
        "name": "apply_patch",
        "input": "*** Begin Patch\n" + inventor.text(400) + "\n*** End Patch",
    }


def _function_call(inventor: Inventor, call: str) -> JsonObject:
    name = inventor.random.choice(_TOOLS)
    arguments = json.dumps({"cmd": inventor.text(80), "workdir": "/home/dev/proj"})
    return {"type": "function_call", "name": name, "arguments": arguments, "call_id": call}


def _compaction(rollout: _Rollout) -> None:
    # Kept messages come back as user messages, whoever wrote them.
    kept = [_message("user", text) for text in rollout.history[-6:]]
    summary = {"type": "compaction", "encrypted_content": "gAAAA" + rollout.inventor.base62(2000)}
    rollout.add("compacted", {"message": "", "replacement_history": [*kept, summary]})
    rollout.event("context_compacted")


def _path(number: int, session: str) -> str:
    day = 1 + number % 28
    folder = f"sessions/2026/08/{day:02}"
    return f"{folder}/rollout-2026-08-{day:02}T10-00-{number % 60:02}-{session}.jsonl"


def _give_call(fields: JsonObject, call: str) -> None:
    fields["payload"]["call_id"] = call


def _give_output(fields: JsonObject, output: str) -> None:
    fields["payload"]["output"] = output


CODEX = Tool(
    "codex",
    _invent,
    _path,
    (
        *("torn_tail", "malformed_mid", "glued", "nul_run", "bad_utf8"),
        *("orphan_call", "orphan_result", "dup_result", "dup_record", "result_before_call"),
        *("id_mismatch", "lone_surrogate", "meta_missing", "nul_tool_name", "bad_args"),
        *("ord_gap", "ord_dup", "ord_missing_tail", "ord_swap"),
    ),
    _give_call,
    _give_output,
)
