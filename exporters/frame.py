"""What an exporter of a report is told beside the report."""

from collections.abc import Callable

from msgspec import Struct

from suture.model.report import RulePage


class Frame(Struct, frozen=True):
    version: str  # of suture
    root: str  # paths below it become relative: where a repository is checked out
    notes: bool  # findings of level info too, where a person reads
    page: Callable[[str], RulePage]  # of the rule with this code
