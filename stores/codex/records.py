"""What is kept of each record of a rollout while the file is read."""

from msgspec import Struct, field

from suture.stores.codex.lines import Payload


class Record(Struct, gc=False):
    n: int
    kind: str
    type: str
    line: int
    offset: int
    length: int
    id: str | None
    ordinal: int | None
    time: int | None
    group: str | None
    turn: str | None
    recovered: bool
    status: str | None = None
    copy_of: int | None = None
    copy_kind: str | None = None
    same_id: int | None = None
    problem: str | None = None
    detail: str | None = None
    sent: bool = False


class Compaction(Struct, gc=False):
    n: int
    kept: int | None
    talk_before: int
    pre_tokens: int | None
    opaque: bool


class Header(Struct):
    """What the session_meta records say; the first one names the thread."""

    n: int | None = None
    payload: Payload = field(default_factory=Payload)
    versions: dict[str, None] = field(default_factory=dict)

    @property
    def paginated(self) -> bool:
        return self.payload.history_mode == "paginated" or self.payload.history_base is not None
