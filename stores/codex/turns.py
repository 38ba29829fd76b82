"""Turns and model requests of a rollout."""

import msgspec
from msgspec import Struct

from suture.stores._packed import Packed
from suture.stores.codex.lines import Payload


class Turn(Struct, gc=False):
    number: int
    id: str | None
    start_n: int
    started: int | None
    status: str = "open"  # open | implicit | complete | aborted | failed
    end_n: int | None = None
    ended: int | None = None
    ends: int = 0


class Usage(Struct, gc=False):
    input_tokens: int | None = None
    cached_input_tokens: int | None = None
    cache_write_input_tokens: int | None = None
    output_tokens: int | None = None
    total_tokens: int | None = None


class Info(Struct, gc=False):
    total_token_usage: Usage | None = None
    last_token_usage: Usage | None = None


class Step(Struct, gc=False):
    id: str | None
    turn: int | None
    first_n: int
    last_n: int
    model: str | None
    input_tokens: int | None
    cached_input_tokens: int | None
    cache_write_input_tokens: int | None
    output_tokens: int | None


_info = msgspec.json.Decoder(Info | None).decode
_usage = msgspec.json.Decoder(Usage | None).decode


class Turns:
    """The turn that is running while the records of a file go by."""

    def __init__(self) -> None:
        self.all: list[Turn] = []
        self.open: Turn | None = None
        self.open_id: str | None = None
        self._by_id: dict[str, Turn] = {}
        self.ended_before: set[str] = set()  # ids of turns that had an end before they started

    def start(self, n: int, time: int | None, id: str | None) -> None:
        if self.open is not None:
            self.open.status = "implicit"  # Codex finishes it when the next one starts
        self.open = Turn(len(self.all), id, n, time)
        self.open_id = id
        self.all.append(self.open)
        if id is not None:
            self._by_id[id] = self.open

    def end(self, n: int, time: int | None, id: str | None, status: str) -> None:
        turn = self.open if id is None else self._by_id.get(id)
        if turn is None:
            if id is not None:
                self.ended_before.add(id)
            return
        turn.ends += 1
        if turn.ends > 1:
            return
        turn.status, turn.end_n, turn.ended = status, n, time
        if turn is self.open:
            self.open = self.open_id = None


class Steps:
    """One step a model request. `token_usage_record` names each; older files only count tokens."""

    def __init__(self) -> None:
        self.all = Packed(Step)
        self._named = False
        self._total: int | None = None

    def record(
        self, n: int, first_n: int, payload: Payload, turn: Turn | None, model: str | None
    ) -> None:
        if not self._named:
            self.all, self._named = Packed(Step), True
        usage = _decoded_usage(payload) or _NO_USAGE
        self.all.append(_step(payload.response_id, turn, first_n, n, model, usage))

    def count(
        self, n: int, first_n: int, payload: Payload, turn: Turn | None, model: str | None
    ) -> None:
        if self._named or not payload.info:
            return
        try:
            info = _info(payload.info)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return
        if info is None or info.total_token_usage is None:
            return
        total = info.total_token_usage.total_tokens
        if total is not None and total == self._total:
            return  # the same numbers again, for the rate limits beside them
        self._total = total
        self.all.append(_step(None, turn, first_n, n, model, info.last_token_usage or _NO_USAGE))


def _step(
    id: str | None, turn: Turn | None, first_n: int, n: int, model: str | None, usage: Usage
) -> Step:
    return Step(
        id,
        None if turn is None else turn.number,
        first_n,
        n,
        model,
        usage.input_tokens,
        usage.cached_input_tokens,
        usage.cache_write_input_tokens,
        usage.output_tokens,
    )


_NO_USAGE = Usage()


def _decoded_usage(payload: Payload) -> Usage | None:
    try:
        return _usage(payload.usage) if payload.usage else None
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
