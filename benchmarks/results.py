"""What a benchmark hands back: rows with two sides, their ratio and its bar, and notes; and how they are printed."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field

from measuring import Measured
from tabulate import tabulate


@dataclass(frozen=True)
class ComparisonBar:
    """What a ratio has to reach: at most, or at least, ``limit``; ``of_cpu`` is one more, for the ratio of CPU time."""

    limit: float
    at_least: bool = False
    of_cpu: float | None = None

    def is_met(self, ratio: float) -> bool:
        return ratio >= self.limit if self.at_least else ratio <= self.limit

    def __str__(self) -> str:
        limits = [f"{self.limit:,g}", *([] if self.of_cpu is None else [f"{self.of_cpu:,g} of CPU"])]
        return f"{'≥' if self.at_least else '≤'} {', '.join(limits)}"


@dataclass(frozen=True)
class TimedComparison:
    """Two sides that were measured in turn.

    The ratio is ``side`` / ``against``; ``faster``: the other way round, how many times faster ``side`` is. ``units``
    are the records of either side, where these differ and times per record are meant. ``judged_by``: the quantities
    whose ratio has to meet the bar; a row without a bar is for information.
    """

    title: str
    side: Measured
    against: Measured
    bar: ComparisonBar | None
    faster: bool = False
    units: tuple[int, int] = (1, 1)
    judged_by: tuple[str, ...] = ("seconds",)

    def ratio(self, quantity: str) -> float:
        return self._ratio(self.side.median(quantity), self.against.median(quantity))

    def ratio_range(self, quantity: str) -> tuple[float, float]:
        """Smallest and largest ratio of adjacent runs."""
        pairs = zip(self.side.runs, self.against.runs, strict=True)
        ratios = [self._ratio(getattr(one, quantity), getattr(other, quantity)) for one, other in pairs]
        return min(ratios), max(ratios)

    def is_met(self) -> bool | None:
        if self.bar is None:
            return None
        is_met = all(self.bar.is_met(self.ratio(quantity)) for quantity in self.judged_by)
        of_cpu = None if self.bar.of_cpu is None else ComparisonBar(self.bar.of_cpu, self.bar.at_least)
        return is_met and (of_cpu is None or of_cpu.is_met(self.ratio("cpu_seconds")))

    def _ratio(self, one: float, other: float) -> float:
        ratio = (one / self.units[0]) / (other / self.units[1])
        return 1 / ratio if self.faster else ratio


@dataclass(frozen=True)
class BenchmarkOutcome:
    """What one benchmark found."""

    comparisons: list[TimedComparison] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


HEADERS = ["", "side\nagainst", "wall s", "CPU s", "peak MB", "ratio, wall\n(min to max)", "ratio,\nCPU", "bar", "met"]


def table(comparisons: list[TimedComparison], judged: bool = True) -> str:
    """Two lines for each comparison: the side with the ratios, and below it what it is compared with."""
    rows = []
    for comparison in comparisons:
        low, high = comparison.ratio_range("seconds")
        ratios = [
            f"{_figure(comparison.ratio('seconds'))}\n({_figure(low)} to {_figure(high)})",
            _figure(comparison.ratio("cpu_seconds")),
        ]
        verdict = {True: "yes", False: "NO", None: "-"}[comparison.is_met() if judged else None]
        both = (comparison.side, comparison.against)
        columns = ["\n".join(texts) for texts in zip(*map(_cells, both), strict=True)]
        title = f"{comparison.title}\nrepeats: {len(comparison.side.runs)}"
        rows.append([title, *columns, *ratios, str(comparison.bar or "-"), verdict])
    return tabulate(rows, HEADERS, tablefmt="simple_grid", disable_numparse=True)


def _cells(measured: Measured) -> list[str]:
    times = [_figure(measured.median(quantity)) for quantity in ("seconds", "cpu_seconds")]
    return [measured.side.name, *times, f"{measured.median('peak_mb'):,.0f}"]


def _figure(number: float) -> str:
    """Three significant digits, without an exponent."""
    if number >= 100:
        return f"{number:,.0f}"
    return f"{number:#.3g}".rstrip(".")


def spread(measured: Measured) -> float:
    """Largest wall time of a side over its smallest: how unsteady the machine was."""
    seconds = [run.seconds for run in measured.runs]
    return max(seconds) / min(seconds)


def median_spread(comparisons: list[TimedComparison]) -> float:
    return statistics.median(spread(measured) for one in comparisons for measured in (one.side, one.against))
