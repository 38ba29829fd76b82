"""What each type of event carries. Keys that are not named here are data and stay as they are."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Raw, Struct, UnsetType

Id = Annotated[str, Meta(min_length=1)]
Time = Annotated[
    str, Meta(pattern=r"^\d{4}-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-6]\d(\.\d{1,9})?Z$", max_length=30)
]
Count = Annotated[int, Meta(ge=0, le=2**53 - 1)]
Version = Annotated[int, Meta(ge=1, le=2**53 - 1)]
Digest = Annotated[str, Meta(pattern=r"^(sha256:)?[0-9a-f]{64}$", max_length=71)]


class Payload(Struct, gc=False):
    """Base of all: what suture adds says so under this key."""

    suture: Raw | UnsetType = UNSET


class Lineage(Struct):
    parent: Id
    fork_ordinal: Count


class SessionCreated(Payload, kw_only=True):
    session_id: Id
    principal: str | None = None
    created_at: Time
    lineage: Lineage | None = None


class SessionConfigured(Payload, kw_only=True):
    model: str | None = None
    cwd: str | None = None
    version: str | None = None  # of the writing program


class SessionForked(Payload, kw_only=True):
    session_id: Id
    at_ordinal: Count


class SessionInterrupted(Payload, kw_only=True):
    generation: Version
    historical: bool
    turn_id: Id | None = None


class SessionClosed(Payload, kw_only=True):
    reason: str | None = None


class TurnStarted(Payload, kw_only=True):
    turn_id: Id
    trigger: str | None = None


class TurnEnded(Payload, kw_only=True):
    turn_id: Id
    status: Literal["complete", "aborted", "failed"]


class Block(Struct, gc=False):
    type: str
    text: str | None = None


Content = str | list[Block]


class InputQueued(Payload, kw_only=True):
    input_id: Id
    content: Content


class InputConsumed(Payload, kw_only=True):
    input_id: Id


class StepStarted(Payload, kw_only=True):
    step_id: Id
    turn_id: Id | None = None
    context: Raw | UnsetType = UNSET


class Usage(Struct, gc=False):
    input_tokens: Count | None = None
    cache_read_tokens: Count | None = None
    cache_write_tokens: Count | None = None
    output_tokens: Count | None = None


class StepCompleted(Payload, kw_only=True):
    step_id: Id
    finish_reason: str | None = None
    usage: Usage | None = None


class MessageAppended(Payload, kw_only=True):
    message_id: Id
    role: Id
    content: Content
    status: Id


class ToolProposed(Payload, kw_only=True):
    call_id: Id
    step_id: Id | None = None
    name: str
    arguments: Raw
    approval: Literal["required"] | None = None
    side_effect: Literal["none", "local", "external"] | None = None


class ToolApproved(Payload, kw_only=True):
    call_id: Id
    by: str | None = None


class ToolDenied(Payload, kw_only=True):
    call_id: Id
    by: str | None = None


class ToolStarted(Payload, kw_only=True):
    call_id: Id


class ToolFinished(Payload, kw_only=True):
    call_id: Id
    status: Id
    result: Raw | UnsetType = UNSET
    artifact: str | None = None


class ArtifactStored(Payload, kw_only=True):
    uri: Id
    sha256: Digest
    bytes: Count
    summary: str | None = None
    call_id: Id | None = None


class Entry(Struct):
    kind: Literal["original", "summary"]
    original_ordinals: Annotated[list[Count], Meta(min_length=1)]
    content: Content | None = None


class ContextCompacted(Payload, kw_only=True):
    version: Version
    entries: list[Entry]


class PlanVersioned(Payload, kw_only=True):
    version: Count


TYPES: dict[str, type[Payload]] = {
    "session.created": SessionCreated,
    "session.configured": SessionConfigured,
    "session.forked": SessionForked,
    "session.interrupted": SessionInterrupted,
    "session.closed": SessionClosed,
    "turn.started": TurnStarted,
    "turn.ended": TurnEnded,
    "input.queued": InputQueued,
    "input.consumed": InputConsumed,
    "step.started": StepStarted,
    "step.completed": StepCompleted,
    "message.appended": MessageAppended,
    "tool.proposed": ToolProposed,
    "tool.approved": ToolApproved,
    "tool.denied": ToolDenied,
    "tool.started": ToolStarted,
    "tool.finished": ToolFinished,
    "artifact.stored": ArtifactStored,
    "context.compacted": ContextCompacted,
    "plan.versioned": PlanVersioned,
}
