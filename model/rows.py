"""The canonical tables: one tuple type a table, its fields are the columns.

`session` is a key of this run: unit index << 32, plus the number of the session in its unit.
`n` numbers the records of a session densely from 0 in the order they are stored. Times are UTC
microseconds, sizes bytes. A store fills what its format knows; None means "not known", never "no".
"""

from typing import NamedTuple

Verbatim = bytes  # `bytes` names a column below


class SourceRow(NamedTuple):
    unit: int
    store: str
    path: str
    dialect: str  # jsonl | jsonl.zst | sqlite | sidecar
    bytes: int | None = None
    records: int | None = None
    live: str | None = None  # the evidence for a live writer


class SessionRow(NamedTuple):
    session: int
    unit: int
    store: str
    id: str  # native id; `<parent>#<agent>` for a subagent
    path: str
    kind: str = "main"  # main | subagent
    variant: str | None = None  # legacy | paginated | D ...
    name_id: str | None = None  # the id that the file name states
    header_id: str | None = None  # the id that the first header states
    parent: str | None = None  # session that started this subagent
    fork_of: str | None = None
    fork_ordinal: int | None = None
    created: int | None = None
    cwd: str | None = None
    model: str | None = None
    client: str | None = None  # claude-code | codex | ...
    version: str | None = None  # newest writing version
    versions: list[str] = []  # noqa: RUF012 (a NamedTuple default is never mutated)
    status: str | None = None  # stored status: open | closed | running | interrupted ...
    counter: int | None = None  # stored next ordinal
    context_version: int | None = None
    generation: int | None = None  # interruptions handled so far
    leaf: int | None = None  # n of the record that a resume continues from
    live: str | None = None
    numbered: bool | None = None  # ordinals are expected in this log
    first_ordinal: int | None = None  # what the lineage says the first ordinal is
    ends_turns: bool = False  # the format records the end of a turn
    meta_required: bool = False  # the format wants a header
    closed: bool | None = None  # the stored mark of its end is set
    linked: bool | None = None  # each parent is an earlier link of the chain, no id is held twice
    table: str | None = None  # of its own row, in a SQL store that has one
    key: str | None = None


class RecordRow(NamedTuple):
    session: int
    n: int
    kind: str
    # header | prompt | reply | reasoning | call | result | summary | boundary | injected | abort |
    # turn_start | turn_end | state | event | index | unknown | scalar
    type: str  # native type, with the inner type after a slash
    line: int | None = None
    offset: int | None = None
    length: int | None = None
    table: str | None = None
    key: str | None = None
    id: str | None = None
    parent: str | None = None
    ordinal: int | None = None
    time: int | None = None
    group: str | None = None  # records of one provider response share it
    turn: str | None = None
    lane: str = "main"  # one agent, branch or window that a walk must not leave
    recovered: bool = False  # won from a damaged line
    chained: bool = False  # takes part in the parent chain
    on_chain: bool | None = None  # on the live chain of a resume
    sent: bool | None = None  # reaches the model on resume
    hash: str | None = None  # stored
    computed: str | None = None
    chain_hash: str | None = None  # stored
    chain_computed: str | None = None
    prev: str | None = None
    copy_of: int | None = None  # n of the earlier record that this one repeats
    copy_kind: str | None = None  # identical | envelope | event | retry
    same_id: int | None = None  # n of the earlier record that holds the same id, payload differs
    names_session: str | None = None  # session id that the record itself states
    status: str | None = None  # stored final status of a message, or its stop reason
    problem: str | None = None  # shape | unhashable
    detail: str | None = None


class DamageRow(NamedTuple):
    unit: int
    path: str
    kind: str  # the name of the 1xx rule, with underscores
    line: int | None
    offset: int | None
    length: int | None
    detail: str  # what is there, in a few words
    session: int | None = None
    n: int | None = None  # the record won from it, if one
    at: list[int] | None = None  # split points, or offsets of the bad bytes
    recovered: int = 0  # records won from these bytes
    ids: list[str] | None = None  # ids read in what was won
    raw_id: str | None = None  # id and parent seen in text that does not parse
    raw_parent: str | None = None
    field: str | None = None
    fixable: bool = True  # the bytes can be mended without guessing
    refused: bool = False  # its client cannot load or send a session with it
    fill: str | None = None  # text to put in the place of the bad bytes
    fills: list[str] | None = None  # one a place in `at`, where they differ
    table: str | None = None  # of a row, in a SQL store
    key: str | None = None


class PartRow(NamedTuple):
    session: int
    n: int
    part: int
    type: str  # text | reasoning | call | result | image | other
    call_id: str | None = None
    bytes: int | None = None
    text: str | None = None  # full pass only
    data: Verbatim | None = None  # full pass only: the native block, verbatim


EMPTY_ALONE = "a text of length 0, the only block of its record"


class OddPartRow(NamedTuple):
    """A piece of content that a provider or a client stumbles over. Healthy content has no row."""

    session: int
    n: int
    part: int  # of the record; -1: the record itself
    kind: str  # empty_text | blank_text | empty_message | hollow_thinking | unsigned_thinking |
    # foreign_reasoning | bad_reasoning | large_image | bad_image | nul_text | result_shape |
    # unloadable | text_for_list | untimed_leaf | unknown_type | bare_text | no_block | no_parent |
    # late_result
    detail: str  # what is there, in a few words
    bytes: int | None = None
    limit: int | None = None  # what the provider takes, where that is the matter
    call_id: str | None = None
    offset: int | None = None  # of the odd bytes in the file; None: they cannot be changed alone
    length: int | None = None
    at: list[int] | None = None  # offsets of each, where there are several in the record


class CallRow(NamedTuple):
    session: int
    n: int
    part: int
    call_id: str
    lane: str
    pos: int  # order of the walk within the lane
    name: str | None = None
    family: str = "tool"
    state: str | None = None  # proposed | awaiting | denied | running | completed | failed
    outcome: str = "unknown"  # recorded | never_started | unknown: if it has no result
    reason: str | None = None  # why that class
    evidence: str | None = None  # "record N" or a path: what proves the outcome
    side_effect: str = "unknown"  # none | local | external | unknown
    batch: str | None = None  # parallel calls of one response
    server: bool = False  # the provider ran it
    legal_open: str | None = None  # why it may stay open
    malformed: str | None = None  # why it cannot be replayed
    item_id: str | None = None
    bad_item_id: str | None = None  # why the provider refuses it


class ResultRow(NamedTuple):
    session: int
    n: int
    part: int
    call_id: str
    lane: str
    pos: int
    family: str = "tool"
    status: str | None = None  # ok | error
    placeholder: bool = False  # a text that a client or suture made up
    marked: bool = False  # suture's own
    digest: str | None = None  # of the payload, to compare two answers
    server: bool = False
    bytes: int | None = None


class TurnRow(NamedTuple):
    session: int
    turn: int
    id: str | None
    start_n: int | None
    end_n: int | None
    status: str  # complete | aborted | failed | open
    started: int | None = None
    ended: int | None = None
    ends: int = 0  # terminal records of this turn
    generation: int | None = None  # of the interruption that closed it


class StepRow(NamedTuple):
    session: int
    step: int
    id: str | None  # response id
    turn: int | None
    first_n: int
    last_n: int
    status: str | None = None
    model: str | None = None
    input_tokens: int | None = None  # uncached
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    output_tokens: int | None = None
    starts: int | None = None  # start and end records, in formats that have them
    ends: int | None = None


class CompactionRow(NamedTuple):
    session: int
    number: int  # 1-based
    n: int  # the boundary
    summary_n: int | None = None
    needs_summary: bool = False
    version: int | None = None
    trigger: str | None = None
    pre_tokens: int | None = None
    post_tokens: int | None = None
    kept: int | None = None  # items of the new window
    talk_before: int | None = None  # conversation records before it
    originals_stored: bool = True
    opaque: bool = False


class EntryRow(NamedTuple):
    """A row of a context window, with what it stands for."""

    session: int
    version: int | None
    pos: int
    n: int | None
    kind: str  # original | summary
    current: bool
    original_seqs: list[int] | None = None
    call_ids: list[str] = []  # noqa: RUF012
    result_id: str | None = None
    table: str | None = None  # of its row, in a SQL store
    key: str | None = None


class ArtifactRow(NamedTuple):
    session: int
    n: int
    ref: str
    hash: str | None = None
    bytes: int | None = None
    present: bool | None = None
    computed: str | None = None


class StateRow(NamedTuple):
    session: int
    n: int | None
    scope: str  # queue | title | leaf | plan | status ...
    key: str
    value: str | None = None


TABLES: dict[str, type[tuple]] = {  # type: ignore[type-arg]  # any NamedTuple
    "source": SourceRow,
    "session": SessionRow,
    "record": RecordRow,
    "damage": DamageRow,
    "part": PartRow,
    "odd_part": OddPartRow,
    "call": CallRow,
    "result": ResultRow,
    "turn": TurnRow,
    "step": StepRow,
    "compaction": CompactionRow,
    "context_entry": EntryRow,
    "artifact": ArtifactRow,
    "state_kv": StateRow,
}
