"""A session as it is read: its events column by column, and of their JSON what the tables hold."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

import msgspec

from suture.model.answer import is_marked
from suture.stores.google_adk.clock import odd_times, times
from suture.stores.google_adk.event import (
    Object,
    Problem,
    call_of,
    object_of,
    odd_time,
    parts_of,
    response_of,
    response_text,
    values,
)
from suture.stores.google_adk.tables import Stored

_LONG_RUNNING = "it is declared long-running"
_ASKS = ("requested_tool_confirmations", "requested_auth_configs")
_TELLING = frozenset({"compaction", "rewind_before_invocation_id", *_ASKS})  # of the actions


class Call(NamedTuple):
    n: int
    part: int
    id: str
    name: str | None
    waits: str | None  # why it may stay open
    malformed: str | None


class Result(NamedTuple):
    n: int
    part: int
    id: str
    marked: bool
    digest: str
    size: int


class Session:
    """Lists have a value for each event; what few events have is kept by their number."""

    def __init__(self, stored: Stored, full: bool) -> None:
        self.stored, self._full = stored, full
        self.ids = list(map(str, stored.column("id")))
        self.invocations = list(map(str, stored.column("invocation_id")))
        self._stamps = stored.column("timestamp")
        self.times = times(self._stamps)
        self.kinds: list[str] = []
        self.problems: dict[int, list[Problem]] = {}
        self.of_user: set[int] = set()  # calls and thoughts that are no model's
        self.compactions: dict[int, Object] = {}
        self.calls: list[Call] = []
        self.parts: list[tuple[Any, ...]] = []  # full pass only
        self._results: list[Result] = []
        self._rewinds: dict[int, str] = {}  # the invocation that an event takes back
        # calls that get more than one result by design: a first word, then the outcome
        self._twice: set[str] = set()
        self._read()
        self.rewound = _rewound(self.invocations, self._rewinds)

    def _read(self) -> None:
        stamps, variant = self._stamps, self.stored.variant
        odd = odd_times(stamps, self.times, variant)
        for n, (value, problems) in enumerate(values(self.stored)):
            self.kinds.append(self._event(n, value))
            if n in odd:
                problems.append(odd_time(stamps[n], variant))
            content = value.get("content")
            if content is not None and not isinstance(content, dict):
                problems.append(Problem("bad_shape", "content", "content is no object"))
            if problems:
                self.problems[n] = problems

    def _event(self, n: int, value: Object) -> str:
        """Its kind: a scalar, if nothing of it can be read."""
        actions = value.get("actions")
        if isinstance(actions, dict) and not _TELLING.isdisjoint(actions):
            self._actions(n, actions)
        waits: set[str] = set()
        if isinstance(found := value.get("long_running_tool_ids"), list):
            waits = {name for name in found if isinstance(name, str)}
            self._twice |= waits
        parts = parts_of(value)
        kind = self._tools(n, parts, waits)
        by_user = value.get("author") == "user"
        if n in self.compactions:
            return "summary"
        if kind is None:
            if not parts or n in self._rewinds:
                return "event" if value else "scalar"
            if not _are_thoughts(parts):
                return "prompt" if by_user else "reply"
            kind = "reasoning"
        if by_user:
            self.of_user.add(n)
        return kind

    def _actions(self, n: int, actions: Object) -> None:
        if (compaction := object_of(actions, "compaction")) is not None:
            self.compactions[n] = compaction
        if isinstance(before := actions.get("rewind_before_invocation_id"), str):
            self._rewinds[n] = before
        for name in _ASKS:  # for a confirmation or for credentials: a second result follows
            if asked := object_of(actions, name):
                self._twice.update(asked)

    def _tools(self, n: int, parts: Sequence[Object], waits: set[str]) -> str | None:
        """The kind of an event with calls or results."""
        kind = None
        for number, part in enumerate(parts):
            call = response = None
            if "function_call" in part or "function_response" in part:
                call, response = call_of(part), response_of(part)
                if call or response:
                    self._tool(n, number, call, response, waits)
                    kind = "call" if call or kind == "call" else "result"
            if self._full:  # no rule asks for them
                self.parts.append(_part(n, number, part, call, response))
        return kind

    def _tool(
        self, n: int, part: int, call: Object | None, response: Object | None, waits: set[str]
    ) -> None:
        name = (call or response or {}).get("id")
        if not isinstance(name, str):
            return
        if call is not None:
            self.calls.append(_call(n, part, name, call, _LONG_RUNNING if name in waits else None))
        if response is not None:
            self._results.append(_result(n, part, name, response))

    def results(self) -> list[Result]:
        kept: list[Result] = []
        answered: set[str] = set()
        for one in self._results:
            if one.id not in answered:
                kept.append(one)
            if one.id in self._twice:
                answered.add(one.id)
        return kept


def _are_thoughts(parts: Sequence[Object]) -> bool:
    for part in parts:  # noqa: SIM110 (at half the price of `all` where most are none)
        if part.get("thought") is not True:
            return False
    return True


def _call(n: int, part: int, id: str, call: Object, waits: str | None) -> Call:
    name, arguments = call.get("name"), call.get("args")
    malformed = None
    if not isinstance(name, str) or not name:
        malformed = "it has no name"
    elif arguments is not None and not isinstance(arguments, dict):
        malformed = "its arguments are no object"
    return Call(n, part, id, name if isinstance(name, str) else None, waits, malformed)


def _result(n: int, part: int, id: str, response: Object) -> Result:
    data = msgspec.json.encode(response.get("response"))
    marked = is_marked(response_text(response))
    return Result(n, part, id, marked, sha256(data).hexdigest()[:16], len(data))


def _part(
    n: int, part: int, value: Object, call: Object | None, response: Object | None
) -> tuple[Any, ...]:
    said = value.get("text")
    text = said if isinstance(said, str) else None
    kind = "reasoning" if value.get("thought") is True else "text"
    kind = kind if text is not None else "image" if "inline_data" in value else "other"
    kind = "call" if call else "result" if response else kind
    call_id = (call or response or {}).get("id")
    data = msgspec.json.encode(value)
    size = len(data if text is None else text.encode("utf-8", "replace"))
    return n, part, kind, call_id if isinstance(call_id, str) else None, size, text, data


def _rewound(invocations: Sequence[str], rewinds: Mapping[int, str]) -> set[int]:
    """Events that a later rewind took back: they are stored, and not sent."""
    gone: set[int] = set()
    for n in sorted(rewinds, reverse=True):
        if n in gone:
            continue
        start = next((i for i in range(n) if invocations[i] == rewinds[n]), None)
        if start is not None:
            gone.update(range(start, n + 1))
    return gone
