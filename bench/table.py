"""A Markdown table: a row has two labels (a measure and its bar) and a value per column."""

from collections.abc import Sequence
from dataclasses import dataclass, field

NOTHING = "-"


@dataclass(slots=True)
class Table:
    title: str
    columns: Sequence[str]
    labels: tuple[str, str] = ("measure", "bar")
    rows: list[tuple[str, str, list[str]]] = field(default_factory=list)

    def add(self, measure: str, values: Sequence[str], bar: str = "") -> None:
        self.rows.append((measure, bar, list(values)))

    def markdown(self) -> str:
        head = [*self.labels, *self.columns]
        lines = [f"### {self.title}", "", _line(head), _line(["---"] * len(head))]
        lines += [_line([measure, bar, *values]) for measure, bar, values in self.rows]
        return "\n".join(lines) + "\n"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def seconds(value: float) -> str:
    return f"{value:.2f} s"


def megabytes(value: float | None) -> str:
    return NOTHING if value is None else f"{value / 1e6:,.0f} MB"


def times(value: float) -> str:
    return f"{value:.2f} x"


def speed(size: float, cpu: float) -> float | None:
    """MB per second; None if too little was left to measure."""
    return size / 1e6 / cpu if cpu > 0.02 else None


def shown(value: float | None, unit: str = "MB/s") -> str:
    return NOTHING if value is None else f"{value:,.0f} {unit}"
