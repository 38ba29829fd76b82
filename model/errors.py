"""What stops a run. Damage in a store never does: it is a Finding."""


class SutureError(Exception):
    """Base of every error the command line turns into one line and an exit code."""

    exit_code = 3


class NothingToRead(SutureError):
    """The path is missing, unreadable, or holds no known store."""


class NothingThere(NothingToRead):
    """All of it could be looked at, and no store is among it."""


class CannotWrite(SutureError):
    """A file that was asked for cannot be made; nothing of it is left."""


class BadPlan(SutureError):
    """The plan file is not a plan of this version, or was edited into something else."""

    exit_code = 2


class BadSetting(SutureError):
    """An option, a configuration file or a baseline says something that means nothing."""

    exit_code = 2


class BadMapping(SutureError):
    """A mapping file is wrong, or the database has not what it names."""

    exit_code = 2


class BadQuery(SutureError):
    """The database refused a query of the user's."""

    exit_code = 2


class StaleStore(SutureError):
    """The store changed after the plan was made, so the plan no longer describes it."""

    exit_code = 4


class ApplyFailed(SutureError):
    """Applying failed; everything was put back."""

    exit_code = 5


class LiveWriter(SutureError):
    """A process still writes to the session."""

    exit_code = 6


class Unsupported(SutureError):
    """A store cannot turn this operation into edits; the reason is the message."""
