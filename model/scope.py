"""What the user asked for: what to look at, and what a plan may hold."""

from collections.abc import Callable, Collection

from msgspec import Struct

from suture.model.operation import Policy

# Called while reading: bytes done, bytes in all, units done, units in all.
Progress = Callable[[int, int, int, int], None]


class Scope(Struct, frozen=True):
    paths: tuple[str, ...]
    as_format: str | None = None
    sessions: tuple[str, ...] = ()
    assume: str | None = None  # live | dead
    now: int | None = None  # UTC microseconds; None: the clock
    jobs: int | None = None  # processes that read; None: as many as there are cores
    side_effects: tuple[tuple[str, str], ...] = ()  # tool → none | local | external | unknown
    progress: Progress | None = None
    map_file: str | None = None  # how to read the tables of a home-grown schema
    since: int | None = None  # UTC microseconds: only sessions written to then or later
    where: str | None = None  # SQL: only sessions whose row in a database it holds for


class Wanted(Struct, frozen=True):
    policy: Policy = Policy.ANSWER
    safe_only: bool = False
    take: Collection[int] = ()  # numbers of manual repairs, as the plan without them lists them
    skip: Collection[str] = ()  # fingerprints, codes or names of rules
    fork: bool | None = None  # the repair as a new session; None: where it has to be
    answer_text: str | None = None  # what added results say, in place of the usual words
