"""Released columns that disclose a value which a step changed or removed: one column alone, or two together."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from disclosure_control.attack.answerers.levels import LEFT
from disclosure_control.attack.answerers.one_column import (
    CHANCE,
    log_arrangements,
    sure_levels,
)
from disclosure_control.attack.leaving import Leaving
from disclosure_control.attack.release_finding import ReleaseFinding
from disclosure_control.attack.tells.hidden_columns import (
    LEAST_PEOPLE,
    TELLING,
    HiddenColumn,
    as_numbers,
    hidden_columns,
)
from disclosure_control.basics.encoding.columns import EncodedColumn, encode_column, number_text
from disclosure_control.basics.encoding.keys import number_rows
from disclosure_control.basics.settings.changes import ConfigChange
from disclosure_control.basics.telling.plain import NOT_IN_SUMMARY
from disclosure_control.basics.telling.reasons import Gravity, Reason
from disclosure_control.basics.telling.small_counts import Policy, count_in_sentence, count_text, people_told
from disclosure_control.basics.telling.words import counted, people_text

LEAST_SHARE = 0.1  # of the people, who are disclosed, for a finding
MOST_PEOPLE, MOST_PEOPLE_FOR_PAIRS, MOST_PAIRS = 50_000, 5_000, 4_000
MOST_SAID = 3


@dataclass(frozen=True)
class ToldByColumns:
    """Released ``columns`` that disclose the original of the column ``tells``: for how many people, and how closely."""

    columns: Sequence[str]
    tells: str
    people_told: int | None
    people_changed: int | None
    within: float | None

    def for_reader(self, policy: Policy, leaving: Leaving) -> ToldByColumns:
        """The same with the counts that the reader may see."""
        n_told, n_changed = self.people_told or 0, self.people_changed or 0
        return replace(
            self,
            people_told=leaving.told_of(policy, self.tells, n_told, n_changed),
            people_changed=leaving.told_of(policy, self.tells, n_changed),
        )

    @property
    def row(self) -> list[str]:
        """The finding as a row of the table of attempts."""
        return [self.tells, " and ".join(self.columns), count_text(self.people_told), "", ""]

    def sentence(self, n_told: str) -> str:
        """Which columns disclose which, for ``n_told`` people."""
        how = "column {} alone discloses" if len(self.columns) == 1 else "columns {} together disclose"
        within = f" within {number_text(self.within)}" if self.within else ""
        return (
            f"The released {how.format(' and '.join(self.columns))} the original {self.tells}{within} for {n_told} of "
            f"{people_told(self.people_changed)} whose value was changed or dropped"
        )


@dataclass(frozen=True)
class ColumnsThatTell(ReleaseFinding):
    """Released columns that disclose changed ones, and how many people and pairs of columns were examined."""

    people_looked_at: int
    people_looked_at_for_pairs: int
    people: int
    pairs: int
    pairs_looked_at: int
    told: Sequence[ToldByColumns]
    told_by_luck: Sequence[str]
    too_few_to_ask: Sequence[str]
    harmless: Sequence[str]
    sensitive: Sequence[str] = field(default=(), metadata=NOT_IN_SUMMARY)
    assessed: Sequence[str] = field(default=(), metadata=NOT_IN_SUMMARY)

    @property
    def shares(self) -> dict[str, float]:
        """For what share of the people with a changed value each column is disclosed."""
        return {one.tells: (one.people_told or 0) / max(one.people_changed or 0, 1) for one in self.told}

    def for_reader(self, policy: Policy, leaving: Leaving) -> ColumnsThatTell:
        """The same with the counts that the reader may see."""
        return replace(self, told=[one.for_reader(policy, leaving) for one in self.told])

    def words(self) -> Iterator[str]:
        """Which columns disclose which, for how many people, and what was not examined."""
        for one in self.told:
            yield f"{one.sentence(count_text(one.people_told))}: drop it or recode it."
        if self.too_few_to_ask:
            yield (
                f"Not searched, because fewer than {LEAST_PEOPLE} values were changed: "
                f"{', '.join(self.too_few_to_ask)}."
            )
        if self.told_by_luck:
            yield (
                "With so few people, some pair of columns discloses the changed values by chance. Pairs show nothing "
                f"about: {', '.join(self.told_by_luck)}."
            )
        if self.people_looked_at < self.people:
            yield (
                f"The columns of {self.people_looked_at:,} of {people_text(self.people, ',')} were searched, and the "
                f"pairs of columns of {self.people_looked_at_for_pairs:,}."
            )
        if self.pairs_looked_at < self.pairs:
            yield f"{self.pairs_looked_at:,} of {self.pairs:,} pairs of columns were searched."

    def reasons(self) -> Iterator[Reason]:
        """A reason to hold for all columns that disclose removed values, but for harmless ones; one more of sensitive
        features.
        """
        for infers in (False, True):
            told = [one for one in self.told if (one.tells in self.sensitive) == infers]
            told = [one for one in told if not set(one.columns) <= set(self.harmless)]
            more = f"; and {counted(len(told) - MOST_SAID, 'further column')} or pairs." if told[MOST_SAID:] else "."
            if told:
                yield Reason(
                    Gravity.OUTSIDERS_CAN_SINGLE_OUT,
                    "; ".join(one.sentence(count_in_sentence(one.people_told)) for one in told[:MOST_SAID]) + more,
                    'or recode these columns, or state under "treatment", "harmless" why they disclose nothing',
                    (_dropped(told, self.harmless, self.assessed),),
                    infers=infers,
                )


def _dropped(told: Sequence[ToldByColumns], harmless: Sequence[str], assessed: Sequence[str]) -> ConfigChange:
    """Of each column or pair the one that is dropped: the last that is neither declared harmless nor, if possible, a
    quasi-identifier, which is ``assessed``.
    """
    open_ones = [[name for name in one.columns if name not in harmless] for one in told]
    names = dict.fromkeys(max(some, key=lambda name: (name not in assessed, some.index(name))) for some in open_ones)
    step = {"method": "drop_column", "columns": list(names)}
    return ConfigChange.to(("treatment", "steps"), step, "they disclose what the treatment changed", is_added=True)


def columns_that_tell(leaving: Leaving) -> ColumnsThatTell:
    """Which released columns, alone or two together, disclose the original of a column that was changed or dropped.

    Quasi-identifiers and columns that outsiders know by their names are examined; in large pilots for some of the
    people, the same whatever the order of the records.
    """
    people = leaving.looked_at(MOST_PEOPLE)
    few = people.first(MOST_PEOPLE_FOR_PAIRS)
    taken_out = hidden_columns(leaving)
    hidden_names = [name for name in taken_out if leaving.n_changed[name] >= LEAST_PEOPLE]
    tellers = {name: Teller.of(people.released[name]) for name in leaving.released_names if hidden_names}
    told, n_pairs, n_looked_at, by_luck = [], 0, 0, []
    for name in hidden_names:
        hidden = HiddenColumn.of(leaving, name, people)
        found = list(told_by_one(hidden, tellers))
        # A released quasi-identifier is already assessed with all that it discloses.
        told += [entry for entry in found if entry.columns[0] not in leaving.quasi_identifiers]
        candidates = _pairs(hidden, tellers, leaving, {one for entry in found for one in entry.columns})
        n_tried = min(len(candidates), MOST_PAIRS)
        n_pairs, n_looked_at = n_pairs + len(candidates), n_looked_at + n_tried
        asked = HiddenColumn.of(leaving, name, few)
        if asked.is_numeric or log_arrangements(asked.labels.codes, asked.released) >= np.log(max(n_tried, 1) / CHANCE):
            told += _told_by_two(asked, tellers, candidates[:MOST_PAIRS])
        elif n_tried:
            by_luck.append(name)
    return ColumnsThatTell(
        people_looked_at=people.n_people,
        people_looked_at_for_pairs=few.n_people,
        people=leaving.n_people,
        pairs=n_pairs,
        pairs_looked_at=n_looked_at,
        told=told,
        told_by_luck=by_luck,
        too_few_to_ask=[name for name in taken_out if name not in hidden_names],
        harmless=list(leaving.harmless),
        sensitive=leaving.before.config.sensitive_features,
        assessed=leaving.quasi_identifiers,
    )


# ---------------------------------------------------------------- columns that disclose, and what they disclose


@dataclass(frozen=True)
class Teller:
    """A released column of the examined people, in its order: numbers by size, dates by the day, text by letters."""

    encoded: EncodedColumn

    @classmethod
    def of(cls, column: pd.Series) -> Teller:
        """The column as numbers or days, where it can be read so."""
        return cls(encode_column(as_numbers(column)))

    def codes_of(self, rows: np.ndarray) -> EncodedColumn:
        return EncodedColumn(self.encoded.codes[rows], self.encoded.labels)


def _entry(hidden: HiddenColumn, columns: list[str], away: np.ndarray, who: np.ndarray) -> ToldByColumns | None:
    """The finding, if almost all of ``who`` are disclosed beyond what the column itself discloses; else None."""
    asked = who & hidden.changed
    n, told = int(asked.sum()), asked & hidden.is_told(away)
    if n < max(LEAST_PEOPLE, LEAST_SHARE * hidden.changed.sum()) or told.sum() < TELLING * n:
        return None
    wrong, wrong_by_itself = n - told.sum(), (asked & ~hidden.told_by_itself).sum()
    if n - wrong_by_itself >= TELLING * n or wrong > LEFT * wrong_by_itself:
        return None
    n_told, n_changed = int(told.sum()), int(hidden.changed.sum())
    largest = float(away[told].max(initial=0.0))
    return ToldByColumns(
        columns,
        hidden.name,
        people_told=n_told,
        people_changed=n_changed,
        within=float(f"{largest:.2g}") if hidden.is_numeric else None,
    )


def told_by_one(hidden: HiddenColumn, tellers: Mapping[str, Teller]) -> Iterator[ToldByColumns]:
    """The columns that disclose the hidden one alone."""
    for name, teller in tellers.items():
        if name == hidden.name:
            continue
        column = teller.codes_of(hidden.rows)
        away = hidden.away(column)
        everybody = np.ones(len(hidden.rows), dtype=bool)
        found = _entry(hidden, [name], away, everybody) or _entry(hidden, [name], away, column.codes >= 0)
        if not found and not hidden.is_numeric:
            found = _entry(hidden, [name], away, sure_levels(column, hidden.labels.codes, hidden.released))
        if found:
            yield found


def _pairs(
    hidden: HiddenColumn, tellers: Mapping[str, Teller], leaving: Leaving, known: set[str]
) -> list[tuple[str, str]]:
    """Pairs of released columns that may disclose it together: none that does so alone, not both quasi-identifiers.

    The released form of the column itself makes a pair with each of the others. Of numbers two others are tried as
    facts (``answerers/pairs.py``).
    """
    assessed = set(leaving.quasi_identifiers)
    names = [name for name in tellers if name not in known and name != hidden.name]
    with_itself = [(name, hidden.name) for name in names if name not in assessed and hidden.name in tellers]
    of_others = [] if hidden.is_numeric else itertools.combinations(names, 2)
    return with_itself + [pair for pair in of_others if not assessed.issuperset(pair)]


def _told_by_two(
    hidden: HiddenColumn, tellers: Mapping[str, Teller], pairs: list[tuple[str, str]]
) -> Iterator[ToldByColumns]:
    everybody = np.ones(len(hidden.rows), dtype=bool)
    for pair in pairs:
        one, other = (tellers[name] for name in pair)
        found = _entry(hidden, list(pair), hidden.away(_joint(one, other, hidden.rows)), everybody)
        if found:
            yield found


def _joint(one: Teller, other: Teller, rows: np.ndarray) -> EncodedColumn:
    columns = [teller.encoded.codes[rows] + 1 for teller in (one, other)]
    group, size = number_rows(columns, [len(teller.encoded.labels) + 1 for teller in (one, other)], len(rows))
    is_shared = size[group] > 1  # the order of pairs has no meaning
    return EncodedColumn(np.where(is_shared, group, -1), np.arange(len(size)))
