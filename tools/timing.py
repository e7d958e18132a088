"""Timing in turn, and the table that shows it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from statistics import median

from rich.console import Console
from rich.table import Table


@dataclass
class Bench:
    """Rows of the printed table."""

    rows: list[tuple[str, str, str, str]] = field(default_factory=list)

    def add(self, what: str, ours: str, peer: str = "", ratio: str = "") -> None:
        """One line: what was measured, ours, the peer's, the ratio."""
        self.rows.append((what, ours, peer, ratio))

    def show(self, title: str) -> None:
        """Print the table."""
        table = Table(title=title, title_justify="left")
        for name, justify in (("", "left"), ("citegrain", "right"), ("peer", "right"), ("ratio", "right")):
            table.add_column(name, justify=justify, overflow="fold")  # type: ignore[arg-type]
        for row in self.rows:
            table.add_row(*row)
        Console(width=110).print(table)


def timed(work: Callable[[], object]) -> float:
    """Seconds ``work`` takes."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def in_turn(works: Mapping[str, Callable[[], object]], repeat: int) -> dict[str, float]:
    """Median seconds of each work, run one after the other ``repeat`` times."""
    seconds: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(repeat):
        for name, work in works.items():
            seconds[name].append(timed(work))
    return {name: median(values) for name, values in seconds.items()}
