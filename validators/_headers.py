"""The repair that the rules about lost headers share."""

from suture.db import Database
from suture.model.finding import Finding
from suture.model.operation import Policy, Rebuild, Repair, Safety


def rebuild_header(finding: Finding, db: Database, policy: Policy) -> Repair:
    operation = Rebuild(int(str(finding.facts["session"])), "header")
    return Repair("make the header again", (operation,), Safety.LOSSY)
