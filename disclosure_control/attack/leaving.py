"""The data to be released beside their originals, for the findings.

Of each column the findings use the values before and after, how many people have each, and the values of each person:
of records in memory every person's own, of records on disk each distinct value once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from config.model_settings import PilotConfig
from disclosure_control.assess.assessment import Assessment
from disclosure_control.attack.tells.summaries import SummariesOfFiles
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.reasons import Reason
from disclosure_control.basics.telling.small_counts import Policy
from disclosure_control.basics.telling.words import listed
from disclosure_control.records.columns import ColumnOfRecords, codes_of_texts, places_at, places_of_all
from disclosure_control.records.records import EncodedRecords
from disclosure_control.remedy.treatments.registry import where_changed
from disclosure_control.remedy.treatments.treated_pilot import AppliedStep, TreatedPilot
from study.columns.decisions import known_by_decision
from study.columns.known_to_outsiders import known_to_outsiders
from study.merge.settings import MergeSettings

AS_IT_WAS = 0.5  # share of unchanged values of a column from which on it counts as untreated
NEAR_ID = 0.5  # of the people are alone by one column


@dataclass(frozen=True)
class WhatBecame:
    """What became of a column in the people who stay: values ``before`` and ``after`` (n_values,), as pairs.

    None before if the column did not exist, None after if it was removed. ``people`` (n_values,) have each pair, and
    ``places`` say block by block which pair each person has.
    """

    before: pd.Series | None = field(repr=False)
    after: pd.Series | None = field(repr=False)
    people: np.ndarray
    places: Iterable[np.ndarray]

    @property
    def is_other(self) -> np.ndarray:
        """In which pairs (n_values,) the value was changed or removed."""
        if self.before is None or self.after is None:
            one = self.after if self.before is None else self.before
            assert one is not None
            return one.notna().to_numpy()
        occurs, found = np.flatnonzero(self.people), np.zeros(len(self.people), dtype=bool)
        found[occurs] = where_changed(self.before.iloc[occurs], self.after.iloc[occurs])
        return found

    @property
    def n_original(self) -> int:
        """How many of those who stay had a value."""
        return 0 if self.before is None else int(self.people[self.before.notna().to_numpy()].sum())

    def places_of(self, rows: np.ndarray) -> np.ndarray:
        """The pair that each of these people (n,) has."""
        return places_at(self.places, rows)

    def of_everybody(self) -> tuple[pd.Series, pd.Series]:
        """The column of all people (n_people,), before and after."""
        places = places_of_all(self.places)
        return self.taken(self.before, places), self.taken(self.after, places)

    @staticmethod
    def taken(values: pd.Series | None, places: np.ndarray) -> pd.Series:
        """The values of some people; nothing of a column that is not there."""
        return pd.Series(np.nan, range(len(places))) if values is None else values.take(places).reset_index(drop=True)


@dataclass(frozen=True)
class MadeOf:
    """What the records that leave were made of, where they are others: the package of a release, merged again.

    ``records`` of the pilot, and of each record that leaves its ``position`` (n_kept,) there. ``fresh``: columns that
    the pilot does not have, and whether the release changed them; one that it did not counts as it was.
    """

    records: EncodedRecords
    position: np.ndarray
    fresh: Mapping[str, bool] = field(default_factory=dict)

    @property
    def columns(self) -> list[str]:
        """Those of the pilot, and then the fresh ones."""
        return [*self.records.columns, *self.fresh]

    def became(self, name: str, column: ColumnOfRecords | None, values: pd.Series | None) -> WhatBecame:
        """What became of a column whose released ``values`` replace those of ``column``."""
        before, was = None, np.zeros(len(self.position), dtype=np.int64)
        if name in self.records.columns:
            before, was = self.records.columns[name].values, self.records.places(name)[self.position].astype(np.int64)
        after, now = values, np.zeros(len(self.position), dtype=np.int64)
        if column is not None and after is not None:
            now = column.places().astype(np.int64)
        n_now = 1 if after is None else len(after)
        if max(1 if before is None else len(before), n_now) < len(now):  # then several people have a pair
            pair, found = pd.factorize(was * n_now + now)
            was, now = found // n_now, found % n_now
        else:
            pair = np.arange(len(now))
        before = None if before is None else before.take(was).reset_index(drop=True)
        after = None if after is None else after.take(now).reset_index(drop=True)
        if name in self.fresh and not self.fresh[name]:
            before = after
        return WhatBecame(before, after, np.bincount(pair, minlength=len(was)), [pair])


@dataclass(frozen=True)
class Leaving:
    """The ``records`` to be released, one of each person, before the treatment, and their released values.

    ``columns`` are released, with their roles in ``config``; ``values`` are the released values, ``steps`` what was
    done. ``made_of``: the original records, if they are others. ``harmless``: columns that the config declares to
    disclose nothing to outsiders, with the reason. ``files``: what the rows of all files that leave say of a person.
    ``told``: for each column, the numbers of people that other published counts are compared with. ``others``: for
    each column, which values were changed, and for how many people, as far as known.
    """

    before: Assessment
    config: PilotConfig
    steps: Sequence[AppliedStep]
    columns: Sequence[str]
    records: EncodedRecords
    values: Mapping[str, pd.Series] = field(repr=False)
    made_of: MadeOf | None = None
    harmless: Mapping[str, str] = field(default_factory=dict)
    told: Mapping[str, Sequence[int]] = field(default_factory=dict)
    files: SummariesOfFiles | None = field(default=None, repr=False)
    others: dict[str, tuple[np.ndarray, int]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls,
        before: Assessment,
        treated: TreatedPilot,
        harmless: Mapping[str, str] | None = None,
        told: Mapping[str, Sequence[int]] | None = None,
    ) -> Leaving:
        """What a treatment made."""
        config, steps, columns = treated.config, treated.steps, treated.columns
        return cls(before, config, steps, columns, treated.records, treated.values, None, harmless or {}, told or {})

    def told_of(self, policy: Policy, name: str, n: int, *beside: int) -> int | None:
        """A number of people for a column, as published; None where it is masked."""
        return policy.told(n, self.n_people, *self.told.get(name, ()), *beside)

    @property
    def n_people(self) -> int:
        """Records that are released: one of each person."""
        return self.records.n_people

    @property
    def released_names(self) -> list[str]:
        """Columns that are released, but for the subject's id."""
        return [name for name in self.columns if name != SUBJECT_COLUMN]

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """Those that are still released."""
        return self.config.quasi_identifiers

    def outsiders_know(self, names: Iterable[str]) -> dict[str, str]:
        """Of these columns those that outsiders may know, with the kind: as a person decided, else by their names."""
        return known_to_outsiders(names, known_by_decision(self.before.config.of(MergeSettings).columns))

    # ------------------------------------------------------------ before the treatment, and as released

    @property
    def originals(self) -> list[str]:
        """The columns that there were, but for the subject's id."""
        return list(self.records.columns) if self.made_of is None else self.made_of.columns

    def became(self, name: str) -> WhatBecame:
        column, values = self.records.columns.get(name), self.values.get(name)
        if self.made_of is not None:
            return self.made_of.became(name, column, values)
        assert column is not None
        return WhatBecame(column.values, values, column.people, column.texts)

    def n_others(self, name: str) -> int:
        """Of how many people a column has another value now, or none any more."""
        if name not in self.others:
            became = self.became(name)
            is_other = became.is_other
            self.others[name] = is_other, int(became.people[is_other].sum())
        return self.others[name][1]

    @cached_property
    def n_changed(self) -> dict[str, int]:
        """Columns that a step changed or dropped -> how many people who stay have a changed or removed value."""
        touched = {name for step in self.steps for name, count in step.changed.items() if count}
        names = [name for name in self.originals if name in touched or name not in self.values]
        return {name: self.n_others(name) for name in names}

    @cached_property
    def as_they_were(self) -> dict[str, int]:
        """Columns without a role that are released unchanged for at least half of the people -> number of values
        changed.

        This includes columns of which a step changed a few cells, because nobody assessed the other cells.
        """
        n_original = {name: self.became(name).n_original for name in self.without_a_role}
        return {
            name: n
            for name, n in self.without_a_role.items()
            if n <= (1 - AS_IT_WAS) * n_original[name] and n_original[name]
        }

    @cached_property
    def without_a_role(self) -> dict[str, int]:
        """Columns that are neither quasi-identifier nor sensitive -> values changed."""
        roles = {*self.quasi_identifiers, *self.config.sensitive_features}
        names = [name for name in self.released_names if name in self.originals and name not in roles]
        return {name: self.n_changed.get(name, 0) for name in names}

    def some_people(self, most: int) -> np.ndarray:
        """Positions of at most so many people, chosen and ordered by a hash of their ids, or else of all their values.

        So they are the same in any order of the records.
        """
        if self.made_of is None:
            return self.records.with_least_hashes(most)
        return self.made_of.records.with_least_hashes(most, self.made_of.position)

    def looked_at(self, rows: np.ndarray) -> tuple[dict[str, pd.Series], dict[str, pd.Series], dict[str, np.ndarray]]:
        """The people at these positions (n,): original values of the columns that there were, and released values.

        Last, of each column that a step changed or dropped, whose value was changed or removed (n,).
        """
        original, released, changed = {}, {}, {}
        for name in self.originals:
            became = self.became(name)
            places = became.places_of(rows)
            original[name] = became.taken(became.before, places)
            if name in self.values:
                released[name] = became.taken(became.after, places)
            if name in self.n_changed:
                changed[name] = self.others[name][0][places]
        return original, released, changed

    # ------------------------------------------------------------ who is alone

    @cached_property
    def _encoded(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Of each released column the code of each of its values, and the labels."""
        return {name: codes_of_texts(self.values[name], self._column(name).people) for name in self.released_names}

    def _column(self, name: str) -> ColumnOfRecords:
        return self.records.column(name, self.values[name])

    def n_alone(self, names: Collection[str]) -> int:
        """How many people are alone by these released columns together.

        Raises ``FaultyInputError`` where there are more combinations than the limits of the records allow.
        """
        try:
            return int((self.records.class_sizes({name: self._encoded[name] for name in names}) == 1).sum())
        except FaultyInputError:
            raise FaultyInputError(
                f"treatment: {listed(names)}: too many combinations to count who is alone by them; drop or treat what "
                'outsiders may know, or declare it ("harmless"), or use --engine memory'
            ) from None

    def near_ids(self) -> dict[str, int]:
        """Released columns by which at least half of the people are alone, and how many they are."""
        alone = {
            name: int((np.bincount(codes + 1, self._column(name).people, len(labels) + 1) == 1).sum())
            for name, (codes, labels) in self._encoded.items()
        }
        return {name: n for name, n in alone.items() if n and n >= NEAR_ID * self.n_people}


@dataclass(frozen=True)
class ReleaseFinding:
    """Something found out about what leaves: its fields are plain numbers and names. This one found nothing."""

    def words(self) -> Iterable[str]:
        """Sentences of the report."""
        return ()

    def reasons(self) -> Iterable[Reason]:
        """Why what leaves has to wait."""
        return ()

    def not_looked_at(self) -> Iterable[str]:
        """Sentences on what was not searched in the released data, for readers of the verdict only."""
        return ()


# What was found, once, as the reader of a policy may see it.
FindingTold = Callable[[Policy], ReleaseFinding]
