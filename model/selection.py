"""What a check tells of all that the rules find, and what of it fails the run."""

from msgspec import Struct

from suture.model.finding import Finding, Severity

OFF = "off"
LEVELS = (OFF, *(severity.label for severity in Severity))


def fits(wanted: str, rule: str, code: str) -> bool:
    """`orphan-call-tail`, `301`, or the beginning of a code: `3` is the whole family."""
    return wanted == rule or (wanted.isdigit() and code.startswith(wanted))


class Selection(Struct, frozen=True):
    """Rules are named as `fits` reads them."""

    select: tuple[str, ...] = ()  # nothing: every rule
    ignore: tuple[str, ...] = ()  # beats `select`
    severity: tuple[tuple[str, str], ...] = ()  # (rule, one of LEVELS): the last that fits holds
    fail_on: Severity | None = Severity.ERROR  # None: never

    def keeps(self, rule: str, code: str) -> bool:
        if self.select and not any(fits(wanted, rule, code) for wanted in self.select):
            return False
        return not any(fits(wanted, rule, code) for wanted in self.ignore)

    def level(self, finding: Finding) -> Severity | None:
        """The severity that the finding is told with; None: it is not told."""
        if not self.keeps(finding.rule, finding.code):
            return None
        given = [
            level for wanted, level in self.severity if fits(wanted, finding.rule, finding.code)
        ]
        if not given:
            return finding.severity
        return None if given[-1] == OFF else Severity[given[-1].upper()]
