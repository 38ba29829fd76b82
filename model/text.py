"""Text that a terminal, a log or a page may be shown."""


def printable(text: str) -> str:
    """Control characters, escape sequences and lone surrogates as their `\\x1b` form."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
