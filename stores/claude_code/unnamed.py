"""Records of the chain without a uuid.

Measured on Claude Code 2.1.197 and 2.1.332, which keep records in a map by uuid: a missing uuid and
a null are two more keys of it, so of the records with such a key the last one counts. It can hang
on others, nothing can hang on it. What is appended to one that a resume starts from is a root.
"""

import json

from suture.model.rows import OddPartRow
from suture.stores.claude_code.chain import Leaves, walk
from suture.stores.claude_code.records import ASSISTANT, CHAINED, LINK, USER, marked
from suture.stores.claude_code.view import Transcript


def link_unnamed(found: Transcript) -> None:
    """When all is read: the last of each key becomes a link."""
    records = found.records
    found.unnamed = [n for n in found.unnamed if n not in records.recovered]
    holders = {_key(bytes(found.data[records.span(n)])): n for n in found.unnamed}
    for n in holders.values():
        records.marks[n] |= CHAINED


def _key(line: bytes) -> str:
    """Of what stands where the uuid should."""
    try:
        return json.dumps(json.loads(line)["uuid"])
    except (ValueError, LookupError):
        return ""


def unnamed_lines(found: Transcript, leaves: Leaves) -> list[OddPartRow]:
    """Those of the user and of the model, as the resume takes them. The chain is marked."""
    records = found.records
    spoken = [n for n in found.unnamed if records.marks[n] & (USER | ASSISTANT)]
    if not spoken:
        return []
    if not any(records.all_of("id")):
        detail = "no record has a uuid; all but the last one is left out"
        return [_row(found, spoken[0], "unnamed_all", detail)]
    last = marked(records.marks, LINK).rfind(1)
    return [_told(found, leaves, n, last) for n in spoken]


def _told(found: Transcript, leaves: Leaves, n: int, last: int) -> OddPartRow:
    marks = found.records.marks[n]
    what = "a reply without a uuid" if marks & ASSISTANT else "a line of the user without a uuid"
    if not marks & CHAINED:
        return _row(found, n, "unnamed", f"{what}, and a later one stands for it: it is left out")
    if n == leaves.live:
        detail = f"{what} where a resume starts: what is appended to it hangs on nothing"
        return _row(found, n, "unnamed_leaf", detail)
    # with a uuid the last one would be where a resume starts
    leads_on = n != last or any(above == leaves.live for above in walk(found, n))
    kind = "unnamed" if leads_on else "unnamed_end"
    how = "it is sent" if found.records.sent[n] else "it is left out"
    return _row(found, n, kind, f"{what}: {how}, and nothing can hang on it")


def _row(found: Transcript, n: int, kind: str, detail: str) -> OddPartRow:
    return OddPartRow(found.session, n, -1, kind, detail)
