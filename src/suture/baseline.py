"""Baselines: write the findings of today, and tell them from those of tomorrow."""

import json
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import asdict, replace

from suture import __version__
from suture.model.baseline import KnownFinding
from suture.model.errors import BadSetting
from suture.model.finding import Finding
from suture.model.report import Reported
from suture.outputs import write_whole

SCHEMA = "suture.baseline/1"


def read(path: Path) -> tuple[KnownFinding, ...]:
    """Raises BadSetting when it is no baseline."""
    try:
        document = json.loads(path.read_text("utf-8"))
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise BadSetting(f"baseline {path}: {reason}; --write-baseline makes one") from error
    except ValueError as error:
        raise BadSetting(f"baseline {path}: {error}") from error
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise BadSetting(f"baseline {path}: not a {SCHEMA}; --write-baseline makes one")
    try:
        return tuple(_entry(found) for found in document["findings"])
    except (KeyError, TypeError, ValueError) as error:
        raise BadSetting(f"baseline {path}: an entry is incomplete: {error}") from error


def _entry(found: Any) -> KnownFinding:
    entry = KnownFinding(**found)
    if not isinstance(entry.fingerprint, str) or type(entry.count) is not int:
        raise ValueError(f"{found}")
    return entry


def write(path: Path, told: Sequence[Finding]) -> None:
    """One entry a fingerprint, in a fixed order."""
    counts = Counter(finding.fingerprint for finding in told)
    entries = {f.fingerprint: _known(f, counts[f.fingerprint]) for f in reversed(told)}
    ordered = sorted(entries.values(), key=lambda e: (e.code, e.session or "", e.fingerprint))
    document = {
        "schema": SCHEMA,
        "suture": __version__,
        "findings": [asdict(entry) for entry in ordered],
    }
    write_whole(path, (json.dumps(document, indent=1) + "\n").encode())


def _known(finding: Finding, count: int) -> KnownFinding:
    path = finding.place.path if finding.place else finding.unit
    return KnownFinding(
        finding.fingerprint,
        count,
        finding.code,
        finding.rule,
        finding.session,
        path,
        finding.message,
    )


def mark(
    items: Sequence[Reported], known: Collection[KnownFinding]
) -> tuple[tuple[Reported, ...], Counter[str]]:
    """The findings, as many of each fingerprint marked known as there are entries; and what is
    left of the counts."""
    left = Counter({entry.fingerprint: entry.count for entry in known})
    marked = []
    for item in items:
        fingerprint = item.finding.fingerprint
        is_known = left[fingerprint] > 0
        left[fingerprint] -= is_known
        marked.append(replace(item, known=is_known))
    return tuple(marked), left


def stale(
    known: Collection[KnownFinding], left: Counter[str], looked_at: Callable[[KnownFinding], bool]
) -> tuple[KnownFinding, ...]:
    """Entries of what was looked at that are no longer found, with how many are missing."""
    return tuple(
        replace(entry, count=left[entry.fingerprint])
        for entry in known
        if left[entry.fingerprint] > 0 and looked_at(entry)
    )
