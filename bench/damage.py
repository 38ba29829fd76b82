"""A session and its faults → the bytes of its file, and the line on which each fault stands."""

from faults import SURROGATE_SLOT
from patient import Fault
from sessions import Record, Session

HALF_AN_EMOJI = b"cut emoji \\ud83d here"


def rendered(session: Session, faults: list[Fault]) -> tuple[bytes, dict[Record, int]]:
    if session.has_ordinals:
        _number(session.records, faults)
    lines = {record: record.encoded() + b"\n" for record in session.records}
    for fault in faults:
        lines[fault.record] = _damaged(fault.kind, lines[fault.record])
    places: dict[Record, int] = {}
    line = 1
    for record, content in lines.items():
        places[record] = line
        line += content.count(b"\n")
    return b"".join(lines.values()), places


def _number(records: list[Record], faults: list[Fault]) -> None:
    for n, record in enumerate(records):
        record.fields["ordinal"] = n
    for fault in faults:
        n = records.index(fault.record)
        fields, before = fault.record.fields, records[n - 1].fields
        if fault.kind == "ord_gap":
            for record in records[n:]:
                record.fields["ordinal"] += 3
        elif fault.kind == "ord_dup":
            fields["ordinal"] = before["ordinal"]
        elif fault.kind == "ord_swap":
            fields["ordinal"], before["ordinal"] = before["ordinal"], fields["ordinal"]
        elif fault.kind == "ord_missing_tail":
            del fields["ordinal"]


def _damaged(kind: str, line: bytes) -> bytes:
    length = len(line) - 1  # without its newline
    match kind:
        case "torn_tail":
            line = line[: length * 2 // 3]
        case "malformed_mid":
            line = line[: length // 2] + b"\n"
        case "glued":
            line = line[:-1]
        case "nul_run":
            line = b"\0" * 512 + line
        case "bad_utf8":
            space = line.find(b" ", length // 2)
            place = space if space > 0 else length // 2
            line = line[:place] + b"\xff\xfe" + line[place + 1 :]
        case "lone_surrogate":
            line = line.replace(SURROGATE_SLOT.encode(), HALF_AN_EMOJI)
    return line
