"""The package as a recipient merges it, its records on disk, beside the pilot that it was made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from disclosure_control.assess.assessment import Assessment
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN
from disclosure_control.leaving.leaving import LookedAt
from disclosure_control.leaving.leaving_from_disk import LeavingFromDisk
from disclosure_control.records.disk import Limits
from disclosure_control.records.records import RecordsOnDisk
from disclosure_control.release.deidentify import ReleasedStudy
from disclosure_control.release.merged import accounts_by_column, applied_steps, is_changed
from disclosure_control.release.people import ReleasePeople
from disclosure_control.run.results import csv_bytes
from disclosure_control.treatments.keys import Release
from disclosure_control.treatments.registry import where_changed
from disclosure_control.treatments.treat_records import TreatedOnDisk
from study.formats.blocks import kind_of
from study.merge.combine import Combined

_PEOPLE_AT_ONCE = 1 << 16


def records_of(combined: Combined, folder: Path, limits: Limits) -> RecordsOnDisk:
    """A combined dataset, written as door 1 writes it and read again, every column as text."""
    path = folder / "combined.csv"
    path.touch(mode=0o600)
    with path.open("wb") as file:
        for number, piece in enumerate(combined.pieces):
            file.write(csv_bytes(piece, has_header=number == 0))
    records = RecordsOnDisk.of_text(kind_of(path).blocks(path, limits.block_bytes), folder, limits)
    path.unlink()
    return records


@dataclass(frozen=True)
class Beside:
    """What the package was made of: the pilot's ``records`` and their ``ids``, and of each row of the package its own.

    ``position`` (n_kept,) are places in the records. ``fresh`` are columns that the pilot does not have: whether the
    release changed them.
    """

    records: RecordsOnDisk
    ids: pd.Series = field(repr=False)
    position: np.ndarray
    fresh: Mapping[str, bool] = field(default_factory=dict)


@dataclass(frozen=True)
class Pairs:
    """What a column was and what it is released as: each pair of values once, how many have it, and who has which.

    ``before`` and ``after`` (n_pairs,) are values, None of a column that the pilot does not have or that is gone.
    """

    before: pd.Series | None = field(repr=False)
    after: pd.Series | None = field(repr=False)
    people: np.ndarray
    pair: np.ndarray

    @cached_property
    def is_other(self) -> np.ndarray:
        """Of which pairs (n_pairs,) the value is another one, or gone."""
        if self.before is None or self.after is None:
            one = self.after if self.before is None else self.before
            assert one is not None
            return one.notna().to_numpy()
        return where_changed(self.before, self.after)

    @property
    def n_others(self) -> int:
        """Of how many people the value is another one now, or gone."""
        return int(self.people[self.is_other].sum())


def pairs_of(name: str, records: RecordsOnDisk, values: Mapping[str, pd.Series], made_of: Beside) -> Pairs:
    """What became of a column that is in the pilot, or in the package alone; ``values`` are those of the package."""
    was = made_of.records.places(name)[made_of.position] if name in made_of.records.columns else None
    now = records.places(name) if name in values else None
    n_now = len(values[name]) if now is not None else 1
    nothing = np.zeros(len(made_of.position), dtype=np.int64)
    key = (nothing if was is None else was.astype(np.int64)) * n_now + (nothing if now is None else now)
    pair, found = pd.factorize(key)
    return Pairs(
        None if was is None else made_of.records.columns[name].values.take(found // n_now).reset_index(drop=True),
        None if now is None else values[name].take(found % n_now).reset_index(drop=True),
        np.bincount(pair, minlength=len(found)),
        pair,
    )


@dataclass(frozen=True)
class PackageLeaving(LeavingFromDisk):
    """The merged package as what leaves: what a person's values were is known of each person, column by column."""

    treated: TreatedOnDisk
    beside: Beside | None = None

    @property
    def _made_of(self) -> Beside:
        assert self.beside is not None
        return self.beside

    @cached_property
    def _originals(self) -> list[str]:
        """The columns that the pilot has, and those that are in the package alone."""
        return [*self._made_of.records.columns, *self._made_of.fresh]

    def _pairs(self, name: str) -> Pairs:
        return pairs_of(name, self.treated.records, self.treated.values, self._made_of)

    @cached_property
    def _touched(self) -> list[str]:
        """Columns that a step changed in somebody, or dropped."""
        touched = {name for step in self.treated.steps for name, count in step.changed.items() if count}
        return [name for name in self._originals if name in touched or name not in self.treated.values]

    @cached_property
    def n_changed(self) -> dict[str, int]:
        """See ``Leaving``."""
        return {name: self._pairs(name).n_others for name in self._touched}

    @cached_property
    def n_original(self) -> dict[str, int]:
        """See ``Leaving``."""
        found = {SUBJECT_COLUMN: self.n_people}
        for name in self._originals:
            is_other = self._made_of.fresh.get(name)
            pairs = self._pairs(name)
            values = pairs.after if is_other is False else pairs.before
            found[name] = 0 if values is None else int(pairs.people[values.notna().to_numpy()].sum())
        return found

    def original_column(self, name: str) -> pd.Series:
        """See ``Leaving``."""
        if name in self._made_of.fresh:
            after = self.released_column(name)
            return pd.Series(np.nan, after.index) if self._made_of.fresh[name] else after
        records = self._made_of.records
        return records.columns[name].values.take(records.places(name)[self._made_of.position]).reset_index(drop=True)

    def released_column(self, name: str) -> pd.Series:
        """See ``Leaving``."""
        return self.treated.values[name].take(self.treated.records.places(name)).reset_index(drop=True)

    def some_people(self, most: int) -> np.ndarray:
        """See ``Leaving``."""
        position, hashes = self._made_of.position, np.zeros(len(self._made_of.position), dtype=np.uint64)
        for start in range(0, len(position), _PEOPLE_AT_ONCE):  # as objects of Python they take several times as much
            ids = self._made_of.ids.iloc[position[start : start + _PEOPLE_AT_ONCE]]
            hashes[start : start + len(ids)] = pd.util.hash_pandas_object(ids, index=False).to_numpy()
        chosen: np.ndarray = np.argsort(hashes, kind="stable")[:most]
        return chosen

    def looked_at(self, most: int) -> LookedAt:
        """See ``Leaving``."""
        rows = self.some_people(most)
        original = {name: self.original_column(name).iloc[rows].reset_index(drop=True) for name in self._originals}
        released = {name: self.released_column(name).iloc[rows].reset_index(drop=True) for name in self.released_names}
        changed = {}
        for name in self._touched:
            pairs = self._pairs(name)
            changed[name] = pairs.is_other[pairs.pair[rows]]
        return LookedAt(pd.DataFrame(original), pd.DataFrame(released), changed)


def leaving_from_disk(
    records: RecordsOnDisk,
    values: Mapping[str, pd.Series],
    found: Assessment,
    before: Assessment,
    original: RecordsOnDisk,
    released: ReleasedStudy,
    people: ReleasePeople,
    release: Release,
    days: int,
    harmless: Mapping[str, str],
) -> PackageLeaving:
    """The merged package as what leaves: see ``leaving_of``; ``records`` are its own, ``values`` typed."""
    accounts = accounts_by_column(released)
    position = people.known_pseudonyms.positions(records.ids())
    fresh = {name: is_changed(accounts.get(name)) for name in sorted(set(values) - set(original.columns))}
    beside = Beside(original, people.ids, position, fresh)
    changed = {
        name: 0 if fresh.get(name) is False else pairs_of(name, records, values, beside).n_others for name in values
    }
    steps = applied_steps(changed, accounts, days)
    columns = [SUBJECT_COLUMN, *values]
    treated = TreatedOnDisk(found, steps, original, records, values, columns, records.subjects, None, (), release)
    return PackageLeaving(before, treated, pd.DataFrame(), harmless, beside=beside)
