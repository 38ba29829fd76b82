"""What is asked of Arrow's functions, without `pyarrow.compute`: importing that writes the help
texts of 300 functions, which takes a tenth of the time that the check of one file does. The methods
of arrays import it as well."""

from functools import cache
from typing import Any

import pyarrow as pa

try:
    from pyarrow._compute import CastOptions, SetLookupOptions, call_function
except ImportError:  # it is not promised to be there
    from pyarrow.compute import CastOptions, SetLookupOptions, call_function

__all__ = ["call_function", "cast", "is_in"]

_to = cache(CastOptions.safe)


def cast(values: Any, kind: pa.DataType) -> Any:
    """Raises pa.ArrowInvalid where a value has no place in the type."""
    return call_function("cast", [values], _to(kind))


def is_in(values: Any, among: pa.Array) -> Any:
    return call_function("is_in", [values], SetLookupOptions(among))
