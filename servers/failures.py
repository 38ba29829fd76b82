"""What a server answers, as errors of ours. Nobody's name or password is repeated."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from msgspec import Struct

from suture.model.address import Address
from suture.model.errors import ApplyFailed, LiveWriter, NothingToRead, StaleStore, SutureError


class Lost(ApplyFailed):
    """The connection broke: what was sent last may have happened."""


class DriverMissing(NothingToRead):
    """The package that speaks to the server is not installed."""


class Failure(Struct, frozen=True):
    kind: str  # lost | stale | locked | refused | failed
    text: str


Classify = Callable[[Exception], Failure | None]


@contextmanager
def translated(address: Address, classify: Classify, reading: bool) -> Iterator[None]:
    """`from None`: the driver's own words name the user."""
    try:
        yield
    except SutureError:
        raise
    except Exception as error:
        failure = classify(error)
        if failure is None:
            raise
        raise _error(address, failure, reading) from None


def _error(address: Address, failure: Failure, reading: bool) -> SutureError:
    text = f"{address.shown}: {_clean(failure.text, address)}"
    if failure.kind == "refused" or reading:
        return NothingToRead(text)
    if failure.kind == "lost":
        return Lost(text)
    if failure.kind == "locked":
        return LiveWriter(f"{text}; another transaction holds the session")
    if failure.kind == "stale":
        return StaleStore(f"{text}; plan again")
    return ApplyFailed(text)


def _clean(text: str, address: Address) -> str:
    line = " ".join(text.split())
    for secret in (address.password, address.user):
        if secret and secret in line:
            return "the server refuses, with words that name the user"
    return line[:300]
