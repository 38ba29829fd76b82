"""Turns and steps as their events open and close them."""

from msgspec import Struct

from suture.stores.eventlog.payloads import (
    SessionInterrupted,
    StepCompleted,
    StepStarted,
    TurnEnded,
    TurnStarted,
    Usage,
)


class Turn(Struct, gc=False):
    id: str | None
    start_n: int | None
    end_n: int | None = None
    status: str | None = None
    started: int | None = None
    ended: int | None = None
    ends: int = 0
    generation: int | None = None


class Step(Struct, gc=False):
    id: str | None
    turn: int | None
    first_n: int
    last_n: int
    status: str | None = None
    model: str | None = None
    usage: Usage | None = None
    starts: int = 0
    ends: int = 0


class Periods:
    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self.steps: list[Step] = []
        self._turn_at: dict[str | None, int] = {}
        self._step_at: dict[str | None, int] = {}
        self.turn: int | None = None  # the open one
        self.step: int | None = None

    @property
    def turn_id(self) -> str | None:
        return None if self.turn is None else self.turns[self.turn].id

    @property
    def step_id(self) -> str | None:
        return None if self.step is None else self.steps[self.step].id

    def start_turn(self, n: int, time: int | None, payload: TurnStarted) -> None:
        self.turns.append(Turn(payload.turn_id, n, started=time))
        self.turn = self._turn_at[payload.turn_id] = len(self.turns) - 1

    def end_turn(self, n: int, time: int | None, payload: TurnEnded) -> None:
        at = self._turn_at.get(payload.turn_id)
        if at is None:
            self.turns.append(Turn(payload.turn_id, None))
            at = self._turn_at[payload.turn_id] = len(self.turns) - 1
        turn = self.turns[at]
        turn.ends += 1
        if turn.end_n is None:
            turn.end_n, turn.ended, turn.status = n, time, payload.status
        if self.turn == at:
            self.turn = self.step = None

    def interrupt(self, payload: SessionInterrupted) -> None:
        at = self.turn if payload.turn_id is None else self._turn_at.get(payload.turn_id)
        if at is not None and self.turns[at].end_n is None:
            self.turns[at].generation = payload.generation

    def start_step(self, n: int, payload: StepStarted, model: str | None) -> None:
        at = self._step_at.get(payload.step_id)
        if at is None:
            turn = self.turn if payload.turn_id is None else self._turn_at.get(payload.turn_id)
            self.steps.append(Step(payload.step_id, turn, n, n, model=model))
            at = self._step_at[payload.step_id] = len(self.steps) - 1
        self.steps[at].starts += 1
        self.step = at

    def end_step(self, n: int, payload: StepCompleted) -> None:
        at = self._step_at.get(payload.step_id)
        if at is None:
            self.steps.append(Step(payload.step_id, self.turn, n, n))
            at = self._step_at[payload.step_id] = len(self.steps) - 1
        step = self.steps[at]
        step.ends += 1
        step.last_n = n
        step.status = payload.finish_reason or step.status
        step.usage = payload.usage or step.usage
        if self.step == at:
            self.step = None

    def reach(self, n: int) -> None:
        """A record inside the open step."""
        if self.step is not None:
            self.steps[self.step].last_n = n
