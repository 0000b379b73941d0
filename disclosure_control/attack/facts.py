"""The facts that a released study says of a person, as numbers: columns of the merged table, and figures of all rows.

A fact belongs to a unit, a summary of no figure, which a line of the config takes out: a column of the merged table, a
variable of a file, or a test. Facts that say the same belong to all of their units.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from disclosure_control.attack.tells.figures_of_rows import FIGURES
from disclosure_control.attack.tells.summaries import SummariesOfFiles, Summary
from disclosure_control.basics.encoding.columns import encode_column

FEW = 10  # levels of a column of the merged table, each of which is a fact
PRESENT = 0.5  # of the people have a fact
SELDOM = 0.05  # a level of fewer people, or of nearly all, is no fact here: levels are asked one by one
MOST_FACTS, MOST_LEVELS = 240, 80


@dataclass(frozen=True)
class PersonFacts:
    """The ``numbers`` (n_people, n_facts) of people, NaN where missing; of each fact the ``units`` it belongs to."""

    numbers: np.ndarray = field(repr=False)
    units: Sequence[frozenset[Summary]]

    @classmethod
    def of(cls, released: pd.DataFrame, files: SummariesOfFiles | None, most: int) -> PersonFacts:
        """Of the ``released`` columns of the merged table (n_all, n_columns), as numbers, and of the rows of ``files``.

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
        units: dict[int, set[Summary]] = {}
        for place, of_first in enumerate(first.tolist()):
            units.setdefault(of_first, set()).update(self.units[kept[place]])
        chosen = list(units)[:MOST_FACTS]
        return PersonFacts(self.numbers[:, kept[chosen]], [_with_tests(units[one]) for one in chosen])

    def without(self, names: Collection[str], units: Collection[Summary] = ()) -> PersonFacts:
        """Without the facts of these columns or units."""
        away = set(names)
        kept = [not any(unit in units or unit.is_among(away) for unit in of_fact) for of_fact in self.units]
        return PersonFacts(self.numbers[:, kept], [one for one, stays in zip(self.units, kept, strict=True) if stays])


def _with_tests(units: Iterable[Summary]) -> frozenset[Summary]:
    """A test that is a column of the merged table is named as that column alone."""
    found = set(units)
    domains = {unit.domain for unit in found if not unit.file}
    return frozenset(unit for unit in found if not (unit.file and unit.term and unit.domain in domains))


def _of_table(released: pd.DataFrame) -> Iterator[tuple[frozenset[Summary], np.ndarray]]:
    for name in map(str, released):
        unit = frozenset([Summary("", name.partition("__")[0], name, "")])
        encoded = encode_column(released[name])
        if encoded.is_numeric:
            yield unit, np.append(encoded.labels.astype(float), np.nan)[encoded.codes]
        elif 1 < len(encoded.labels) <= FEW:
            for level in range(len(encoded.labels) - 1):
                yield unit, np.where(encoded.codes >= 0, (encoded.codes == level).astype(float), np.nan)


def _of_files(files: SummariesOfFiles) -> Iterator[tuple[frozenset[Summary], np.ndarray]]:
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
    return summary.is_of_results and not summary.term


def _units(summary: Summary, files: SummariesOfFiles) -> frozenset[Summary]:
    one = replace(summary, how="rows in" if summary.is_of_rows else "")
    return frozenset(one.with_same(files.same))
