"""What is about to leave where its records are on disk: the same questions, from distinct values and counts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property

import numpy as np
import pandas as pd

from disclosure_control.assess.assessment import Assessment
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN, EncodedColumn
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.words import listed
from disclosure_control.leaving.leaving import EarlierRelease, Leaving, LookedAt
from disclosure_control.measures.singling_sets import NEAR_ID
from disclosure_control.records.other_columns import TableOnDisk
from disclosure_control.records.records import codes_of_texts
from disclosure_control.treatments.registry import where_changed
from disclosure_control.treatments.treat_records import TreatedOnDisk
from disclosure_control.treatments.treated_pilot import TreatedPilot


class LeavingFromDisk(Leaving):
    """What leaves, its records on disk; whatever is asked of everybody's records at once is not looked at."""

    treated: TreatedOnDisk

    @cached_property
    def _where(self) -> dict[str, np.ndarray]:
        """Columns that a step touched or dropped -> which of the original values (n_texts,) is another one, or gone."""
        treated = self.treated
        touched = {name for step in treated.steps for name, count in step.changed.items() if count}
        found = {}
        for name, column in treated.records.columns.items():
            if name not in treated.values:
                found[name] = column.values.notna().to_numpy()
            elif name in touched:
                found[name] = np.zeros(len(column.values), dtype=bool)
                before, after = (one.iloc[column.occurs] for one in (column.values, treated.values[name]))
                found[name][column.occurs] = where_changed(before, after)
        return found

    @cached_property
    def n_changed(self) -> dict[str, int]:
        """See ``Leaving``."""
        columns = self.treated.records.columns
        return {name: int(columns[name].people[where].sum()) for name, where in self._where.items()}

    @cached_property
    def n_original(self) -> dict[str, int]:
        """See ``Leaving``."""
        columns = self.treated.records.columns
        found = {name: int(one.people[one.values.notna().to_numpy()].sum()) for name, one in columns.items()}
        return {SUBJECT_COLUMN: self.n_people, **found}

    @property
    def can_search_sets(self) -> bool:
        """Whether all codes of the people fit in memory."""
        return self.n_people * len(self.released_names) <= self.treated.records.limits.cells_at_hand

    @cached_property
    def _encoded(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        columns, values = self.treated.records.columns, self.treated.values
        return {name: codes_of_texts(values[name], columns[name].people) for name in self.released_names}

    @cached_property
    def released(self) -> dict[str, EncodedColumn]:
        """See ``Leaving``; for as many people as can be searched."""
        names = self.released_names
        assert self.can_search_sets
        codes = {name: np.zeros(self.n_people, dtype=np.int64) for name in names}
        n_before = 0
        for ids, texts in self.treated.records.blocks(names):
            for name, text in zip(names, texts, strict=True):
                codes[name][n_before : n_before + len(ids)] = self._encoded[name][0][text]
            n_before += len(ids)
        return {name: EncodedColumn(codes[name], self._encoded[name][1]) for name in names}

    def n_alone(self, names: Collection[str]) -> int:
        """See ``Leaving``: the classes by these columns are formed, and those of one person counted."""
        try:
            return int((self.treated.records.class_sizes({name: self._encoded[name] for name in names}) == 1).sum())
        except FaultyInputError:
            raise FaultyInputError(
                f"treatment: {listed(names)}: too many combinations to count who is alone by them; drop or treat what "
                'outsiders may know, or declare it ("harmless"), or use --engine memory'
            ) from None

    def near_ids(self) -> dict[str, int]:
        """See ``Leaving``."""
        columns = self.treated.records.columns
        alone = {
            name: int((np.bincount(codes + 1, columns[name].people, len(labels) + 1) == 1).sum())
            for name, (codes, labels) in self._encoded.items()
        }
        return {name: n for name, n in alone.items() if n and n >= NEAR_ID * self.n_people}

    def looked_at(self, most: int) -> LookedAt:
        """See ``Leaving``."""
        treated = self.treated
        texts = treated.records.texts_at(treated.records.with_least_hashes(most))
        columns = treated.records.columns
        original = {name: columns[name].values.take(text).reset_index(drop=True) for name, text in texts.items()}
        released = {name: one.take(texts[name]).reset_index(drop=True) for name, one in treated.values.items()}
        changed = {name: where[texts[name]] for name, where in self._where.items()}
        return LookedAt(pd.DataFrame(original), pd.DataFrame(released), changed)


def leaving_beside(
    before: Assessment,
    treated: TreatedPilot,
    table: pd.DataFrame | TableOnDisk,
    harmless: Mapping[str, str],
    earlier: EarlierRelease | None,
    told: Mapping[str, Sequence[int]],
) -> Leaving:
    """What leaves beside the ``table`` that was treated, in memory or on disk."""
    if isinstance(treated, TreatedOnDisk):
        return LeavingFromDisk(before, treated, pd.DataFrame(), harmless, earlier, told)
    assert isinstance(table, pd.DataFrame)
    return Leaving(before, treated, table.iloc[treated.kept], harmless, earlier, told)
