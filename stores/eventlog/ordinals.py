"""The ordinal of a stored line under another number, no other byte changed."""

import json
import re

from suture.model.edit import SpanEdit
from suture.model.errors import Unsupported
from suture.stores.eventlog.log import CHAIN, Log
from suture.stores.eventlog.view import Record, Session

_ORDINAL = re.compile(rb'"ordinal"\s*:\s*(\d+)')


def renumbered(log: Log, session: Session, n: int, first: int) -> tuple[SpanEdit, ...]:
    records = session.records[n:]
    if any(record.chain is not None for record in records):
        raise Unsupported(CHAIN)
    found = []
    for number, record in enumerate(records, first):
        if record.ordinal is not None and record.ordinal != number:
            found.append(_renumbered(log, record, number))
    return tuple(found)


def _renumbered(log: Log, record: Record, number: int) -> SpanEdit:
    line = log.stored(record)
    try:
        wanted = {**json.loads(line), "ordinal": number}
    except (ValueError, RecursionError) as error:  # mended, or as deep as no decoder goes
        raise Unsupported("the line cannot be decoded as it stands") from error
    for match in _ORDINAL.finditer(line):  # a payload may hold a key of that name too
        start, stop = match.span(1)
        digits = str(number).encode()
        if json.loads(line[:start] + digits + line[stop:]) == wanted:
            return SpanEdit(log.path, record.offset + start, stop - start, (digits,))
    raise Unsupported("the line does not show where its ordinal stands")
