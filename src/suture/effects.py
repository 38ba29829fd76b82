"""What a client does on resume, from one data file a store (`on_resume.json`)."""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import PurePath

from suture import stores
from suture.db import Database
from suture.model.finding import Finding
from suture.model.report import Effect
from suture.model.version import numbers

_REASONED = """
with reasoned as (
    select session, max("offset") as until from record
    where kind = 'reasoning' and sent is not false and on_chain is not false group by session
)
select session, s.store, s.model, until from reasoned join session s using (session)
where until is not null
"""
_STORES = "select distinct store from session"
_CLAUSE = re.compile(r"(<=|>=|<|>|==|=)?\s*(\d+(?:\.\d+)*)")


@cache
def effects_of(store: str) -> Sequence[Effect]:
    folder = store.replace("-", "_")
    file = resources.files(f"{stores.__name__}.{folder}").joinpath("on_resume.json")
    if not file.is_file():
        return ()
    return tuple(Effect(**entry) for entry in json.loads(file.read_text("utf-8")))


def effect_on(finding: Finding, store: str, version: str | None) -> Effect | None:
    """The entry for this finding that covers the writing version; the first if none is stated."""
    name = "" if finding.place is None else PurePath(finding.place.path).name
    found = [
        e
        for e in effects_of(store)
        if e.rule == finding.rule and e.when in finding.message and e.file in ("", name)
    ]
    if version is None:
        return found[0] if found else None
    return next((e for e in found if _covers(e.versions, version)), None)


def beside(around: Mapping[str, Sequence[Finding]], path: str, store: str) -> Sequence[Finding]:
    """Of the findings of no session those of this file, and of files that its sessions need."""
    found = [*around.get(path, ())]
    for other, findings in around.items() if _files(store) else ():
        needed = PurePath(other)
        if needed.name in _files(store) and PurePath(path).is_relative_to(needed.parent):
            found += findings
    return found


@cache
def _files(store: str) -> frozenset[str]:
    return frozenset(effect.file for effect in effects_of(store) if effect.file)


def signed_until(db: Database) -> Mapping[int, int]:
    """Session → where its last reasoning stands, if its model binds that to all before it."""
    if not any(stores.store_named(row.store).signs for row in db.rows(_STORES)):
        return {}
    return {
        row.session: row.until
        for row in db.rows(_REASONED)
        if row.model is not None and stores.store_named(row.store).binds(row.model)
    }


def _covers(spec: str, version: str) -> bool:
    """`>=2.1.121,<2.2`: every clause holds. A bare version stands for itself and newer ones."""
    have = numbers(version)[:4]
    clauses = _CLAUSE.findall(spec)
    return all(_holds(operator or ">=", numbers(bound), have) for operator, bound in clauses)


def _holds(operator: str, bound: tuple[int, ...], have: tuple[int, ...]) -> bool:
    if operator in ("=", "=="):
        return have == bound
    # 0.153.4 is within "<=0.153": compare as far as the bound says
    short = have[: len(bound)] if operator in ("<=", ">") else have
    return {
        "<=": short <= bound,
        ">": short > bound,
        "<": have < bound,
        ">=": have >= bound,
    }[operator]
