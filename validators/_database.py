"""The repair that rules about a damaged database file share."""

from suture.db import Database
from suture.model.finding import Finding
from suture.model.operation import Policy, Rebuild, Repair, Safety

NO_SESSION = -1


def anew(finding: Finding, db: Database, policy: Policy) -> Repair | None:
    """Write the file anew. What it will hold is what the reader could win from it."""
    content = finding.facts.get("fill")
    if not isinstance(content, str):
        return None
    safety = Safety.SAFE if content == "every row" else Safety.MANUAL
    return Repair(
        f"write the database anew with {content}", (Rebuild(NO_SESSION, "database"),), safety
    )
