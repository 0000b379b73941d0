"""What is about to leave beside what it was made of: what the findings look at."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from disclosure_control.assess.assessment import Assessment
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN, EncodedColumn, encode_column
from disclosure_control.basics.telling.small_counts import HAND_TO_HAND
from disclosure_control.measures.singling_sets import n_alone, near_ids
from disclosure_control.treatments.registry import where_changed
from disclosure_control.treatments.treated_pilot import TreatedPilot

AS_IT_WAS = 0.5  # of the values of a column, from which on nobody can say that it was treated


@dataclass(frozen=True)
class Join:
    """An earlier ``release`` whose pseudonyms and offsets this one shall have, and its ``file``, in the pilot's folder.

    ``pilot``: that of the earlier release; None for the same.
    """

    release: str
    file: str
    pilot: str | None = None


@dataclass(frozen=True)
class EarlierRelease:
    """The earlier release that the config names, as it was written: ``table`` (n_earlier, n_columns) of text."""

    join: Join
    table: pd.DataFrame = field(repr=False)


@dataclass(frozen=True)
class LookedAt:
    """Some people of those who stay: ``original`` (n_people, n_columns) and ``released`` values of their columns.

    ``changed`` (n_people,), by column that a step touched or dropped: whose value is another one now, or is gone.
    """

    original: pd.DataFrame = field(repr=False)
    released: pd.DataFrame = field(repr=False)
    changed: Mapping[str, np.ndarray]

    @property
    def n_people(self) -> int:
        return len(self.original)

    def first(self, most: int) -> LookedAt:
        """At most so many of them, the first ones."""
        changed = {name: where[:most] for name, where in self.changed.items()}
        return LookedAt(self.original.iloc[:most], self.released.iloc[:most], changed)


@dataclass(frozen=True)
class Leaving:
    """``original`` (n_kept, n_columns) are the records that stay, as they were, in the order of ``treated.frame``.

    ``harmless``: columns that the config declares to tell outsiders nothing, and why. ``earlier``: the release whose
    pseudonyms the people have. ``told``: of columns, the numbers of people beside which others of them stand.
    ``where``: of columns, whose value (n_kept,) is another one, so far as that was found out already.
    """

    before: Assessment
    treated: TreatedPilot
    original: pd.DataFrame = field(repr=False)
    harmless: Mapping[str, str] = field(default_factory=dict)
    earlier: EarlierRelease | None = None
    told: Mapping[str, Sequence[int]] = field(default_factory=dict)
    where: Mapping[str, np.ndarray] = field(default_factory=dict)

    def told_of(self, name: str, n: int, *beside: int) -> int | None:
        """A number of people about a column as it may be told; None where it is masked."""
        return HAND_TO_HAND.told(n, self.n_people, *self.told.get(name, ()), *beside)

    @property
    def n_people(self) -> int:
        """Records that are released: one of each person."""
        return self.treated.n_people

    @property
    def released_names(self) -> list[str]:
        """Columns that are released, but for the subject's id."""
        return [name for name in self.treated.columns if name != SUBJECT_COLUMN]

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """Those that are still released."""
        return self.treated.config.quasi_identifiers

    @property
    def subjects(self) -> pd.Series | None:
        """The ids as they were, where there are some and they are at hand."""
        return self.original.get(SUBJECT_COLUMN)

    @cached_property
    def released(self) -> dict[str, EncodedColumn]:
        """The columns that are released, but for the subject's id, as whole numbers."""
        exact = self.treated.as_released.classes
        counted = dict(zip(exact.quasi_identifiers, exact.columns, strict=True))
        return {name: counted.get(name) or encode_column(self.treated.frame[name]) for name in self.released_names}

    def original_column(self, name: str) -> pd.Series:
        """A column (n_kept,) of those who stay, as it was."""
        return self.original[name]

    def released_column(self, name: str) -> pd.Series:
        """A column (n_kept,) as it is released."""
        return self.treated.frame[name]

    @cached_property
    def changed(self) -> dict[str, np.ndarray]:
        """Columns that a step touched or dropped -> whose value (n_kept,) is another one now, or is gone."""
        touched = {name for step in self.treated.steps for name, count in step.changed.items() if count}
        dropped = [name for name in self.original if name not in self.treated.frame]
        return {
            str(name): self.original[name].notna().to_numpy() if name in dropped else self._where_changed(str(name))
            for name in self.original
            if name != SUBJECT_COLUMN and (name in touched or name in dropped)
        }

    def _where_changed(self, name: str) -> np.ndarray:
        known = self.where.get(name)
        return where_changed(self.original[name], self.treated.frame[name]) if known is None else known

    @cached_property
    def n_changed(self) -> dict[str, int]:
        """Columns that a step touched or dropped -> of how many people who stay the value is another one, or gone."""
        return {name: int(where.sum()) for name, where in self.changed.items()}

    @cached_property
    def n_original(self) -> dict[str, int]:
        """Columns as they were -> how many of those who stay had a value."""
        return {str(name): int(column.notna().sum()) for name, column in self.original.items()}

    @cached_property
    def n_values_changed(self) -> dict[str, int]:
        """Of each released column that was there before, in how many of the records that stay it is another value."""
        return {name: self.n_changed.get(name, 0) for name in self.released_names if name in self.n_original}

    @property
    def can_search_sets(self) -> bool:
        """Whether all people are at hand, so that sets of their columns can be searched."""
        return True

    def n_alone(self, names: Collection[str]) -> int:
        """How many people are alone by these released columns together."""
        return n_alone({name: self.released[name] for name in names}, self.n_people)

    def near_ids(self) -> dict[str, int]:
        """Released columns by which at least half of the people are alone, and how many they are."""
        return near_ids(self.released, self.n_people)

    def looked_at(self, most: int) -> LookedAt:
        """At most so many people, as they were and as they are released: see ``some_people``."""
        rows = self.some_people(most)
        changed = {name: where[rows] for name, where in self.changed.items()}
        return LookedAt(self.original.iloc[rows], self.treated.frame.iloc[rows], changed)

    def some_people(self, most: int) -> np.ndarray:
        """Positions of at most so many people, chosen and ordered by a hash of their ids, or of all that is known.

        So they are the same in whatever order the records come.
        """
        known = self.original
        hashes = pd.util.hash_pandas_object(known.get(SUBJECT_COLUMN, known), index=False)
        chosen: np.ndarray = np.argsort(hashes.to_numpy(), kind="stable")[:most]
        return chosen

    @cached_property
    def as_they_were(self) -> dict[str, int]:
        """Columns without a role that are released as they were for at least half of the people -> values changed.

        What a step touched in a few cells alone is among them: nobody assessed what the rest tells.
        """
        return {
            name: n
            for name, n in self.without_a_role.items()
            if n <= (1 - AS_IT_WAS) * self.n_original[name] and self.n_original[name]
        }

    @cached_property
    def without_a_role(self) -> dict[str, int]:
        """Columns that are neither quasi-identifier nor sensitive -> values changed."""
        roles = {*self.quasi_identifiers, *self.treated.config.sensitive_features}
        return {name: n for name, n in self.n_values_changed.items() if name not in roles}
