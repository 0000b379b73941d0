"""The facts that a released study says of a person, as numbers: columns of the merged table, and figures of all rows.

A fact belongs to a unit, which a line of the config takes out: a column of the merged table, a variable of a file, or
a test. Facts that say the same belong to all of their units.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from disclosure_control.attack.tells.figures_of_rows import FIGURES
from disclosure_control.attack.tells.hidden_columns import as_numbers
from disclosure_control.attack.tells.summaries import RESULTS, SummariesOfFiles, Summary
from disclosure_control.basics.encoding.columns import encode_column
from disclosure_control.basics.settings.changes import ConfigChange

FEW = 10  # levels of a column of the merged table, each of which is a fact
PRESENT = 0.5  # of the people have a fact
SELDOM = 0.05  # a level of fewer people, or of nearly all, is no fact here: levels are asked one by one
MOST_FACTS, MOST_LEVELS = 240, 80
WHY = "together with others it discloses what was changed or dropped"


@dataclass(frozen=True, order=True)
class Unit:
    """What one line takes out: a ``column`` of the merged table, or of a ``domain``, there in rows of a ``term``.

    ``file``: "" of the merged table.
    """

    domain: str
    column: str
    term: str = ""
    file: str = ""

    @property
    def name(self) -> str:
        """As people write it."""
        if not self.file:
            return f"{self.domain}__{self.column}" if self.domain else self.column
        return f"{self.file}.{self.column or 'rows'}{f' of {self.term}' if self.term else ''}"

    @property
    def names(self) -> set[str]:
        """The columns that it may be in the merged table, or as people declare it harmless."""
        merged = {f"{self.domain}__{one}" for one in (self.column, self.term) if one}
        return {self.name, f"{self.file}.{self.column}", *merged}


def lines_without(units: Sequence[Unit]) -> Iterator[ConfigChange]:
    """The lines of a config that take units out: columns of the merged table in one step, then those of files."""
    merged = [unit.name for unit in units if not unit.file]
    if merged:
        step = {"method": "drop_column", "columns": merged}
        yield ConfigChange.to(("treatment", "steps"), step, WHY, is_added=True)
    for unit in units:
        if unit.file and not unit.column:
            yield ConfigChange.to(("release", "leave_out"), unit.file, WHY, is_added=True, is_last_resort=True)
        elif unit.file and unit.term and unit.column.endswith(RESULTS):
            yield ConfigChange.to(("merge", "drop"), f"{unit.domain}__{unit.term}", WHY, is_added=True)
        elif unit.file:
            yield ConfigChange.to(("release", "operations", f"{unit.domain}.{unit.column}"), "remove", WHY)


@dataclass(frozen=True)
class PersonFacts:
    """The ``numbers`` (n_people, n_facts) of people, NaN where missing; of each fact the ``units`` it belongs to."""

    numbers: np.ndarray = field(repr=False)
    units: Sequence[frozenset[Unit]]

    @classmethod
    def of(cls, released: pd.DataFrame, files: SummariesOfFiles | None, most: int) -> PersonFacts:
        """Of the ``released`` columns of the merged table (n_all, n_columns), and what rows of files say of them.

        Of the first people, at most ``most``.
        """
        columns = list(_of_table(released))
        if files is not None:
            columns += _of_files(files)
        if not columns:
            return cls(np.zeros((min(len(released), most), 0)), ())
        return cls(np.column_stack([numbers[:most] for _, numbers in columns]), [units for units, _ in columns])._once()

    def _once(self) -> PersonFacts:
        """Each fact once, with the units of all that say the same."""
        there = np.isfinite(self.numbers)
        n = np.maximum(there.sum(axis=0), 1)
        x = np.where(there, self.numbers, 0.0)
        x = np.where(there, x - x.sum(axis=0) / n, 0.0)
        size = np.sqrt((x**2).sum(axis=0))
        kept = np.flatnonzero((there.mean(axis=0) >= PRESENT) & (size > 0))
        z = x[:, kept] / size[kept]
        alike = np.abs(z.T @ z) > 1 - 1e-9
        first = alike.argmax(axis=0)
        units: dict[int, set[Unit]] = {}
        for place, of_first in enumerate(first.tolist()):
            units.setdefault(of_first, set()).update(self.units[kept[place]])
        chosen = list(units)[:MOST_FACTS]
        return PersonFacts(self.numbers[:, kept[chosen]], [_with_tests(units[one]) for one in chosen])

    def without(self, names: Collection[str], units: Collection[Unit] = ()) -> PersonFacts:
        """Without the facts of these columns or units."""
        away = set(names)
        kept = [not any(unit in units or unit.names & away for unit in of_fact) for of_fact in self.units]
        return PersonFacts(self.numbers[:, kept], [one for one, stays in zip(self.units, kept, strict=True) if stays])


def _with_tests(units: Iterable[Unit]) -> frozenset[Unit]:
    """A test that is a column of the merged table is named as that column alone."""
    found = set(units)
    domains = {unit.domain for unit in found if not unit.file}
    return frozenset(unit for unit in found if not (unit.file and unit.term and unit.domain in domains))


def _of_table(released: pd.DataFrame) -> Iterator[tuple[frozenset[Unit], np.ndarray]]:
    for name in map(str, released):
        domain, between, column = name.partition("__")
        unit = frozenset([Unit(domain, column) if between else Unit("", name)])
        encoded = encode_column(as_numbers(released[name]))
        if encoded.is_numeric:
            yield unit, np.append(encoded.labels.astype(float), np.nan)[encoded.codes]
        elif 1 < len(encoded.labels) <= FEW:
            for level in range(len(encoded.labels) - 1):
                yield unit, np.where(encoded.codes >= 0, (encoded.codes == level).astype(float), np.nan)


def _of_files(files: SummariesOfFiles) -> Iterator[tuple[frozenset[Unit], np.ndarray]]:
    n_people, starts = len(files.people), files.ranked.starts
    rank = {how: place for place, how in enumerate(FIGURES)}
    chosen = [files.summaries[which] for which in files.summary_of_ranked.tolist()]
    usable = np.flatnonzero(files.ranked.sizes >= PRESENT * n_people).tolist()
    for place in sorted((at for at in usable if chosen[at].how in rank), key=lambda at: rank[chosen[at].how]):
        if not _is_of_all_tests(chosen[place]):
            entries, numbers = slice(starts[place], starts[place + 1]), np.full(n_people, np.nan)
            numbers[files.ranked.person[entries]] = files.numbers[entries]
            yield _units(chosen[place], files), numbers
    size = np.bincount(files.members.level, minlength=files.members.n_levels)
    plain = np.array(
        [(not one.how or one.is_of_rows) and not _is_of_all_tests(one) for one in files.summaries], dtype=bool
    )
    kept = np.flatnonzero(
        plain[files.summary_of_level] & (size >= SELDOM * n_people) & (size <= (1 - SELDOM) * n_people)
    )
    kept = kept[np.argsort(np.abs(size[kept] - n_people / 2), kind="stable")][:MOST_LEVELS]
    for level in kept.tolist():
        has = np.zeros(n_people)
        has[files.members.person[files.members.level == level]] = 1.0
        yield _units(files.summaries[files.summary_of_level[level]], files), has


def _is_of_all_tests(summary: Summary) -> bool:
    """Whether it is of the results of whatever test comes first, or of several: each test is a fact of its own."""
    return summary.column.endswith(RESULTS) and not summary.term


def _units(summary: Summary, files: SummariesOfFiles) -> frozenset[Unit]:
    columns = (summary.column, *files.same.get((summary.file, summary.column), ()))
    return frozenset(Unit(summary.domain, column, summary.term, summary.file) for column in columns)
