"""How an attacker with the codebook reads released values: which originals each of them may represent.

If the tool treated the data itself, method and settings are known, and so is their effect: a recoded value is read as
the values that became it, and a perturbed one as those within its reach. The reach is measured on all people together
(how far a share of them moved, how many stayed); nobody knows how far a single value moved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from disclosure_control.analyses.linkage_attack.labels import texts_of
from disclosure_control.basics.encoding.columns import EncodedColumn, canonical_labels_of, encode_column, parse_numbers
from disclosure_control.basics.encoding.keys import count_pairs
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.remedy.treatments.registry import Reading
from disclosure_control.remedy.treatments.treated_pilot import TreatedPilot

EVERYBODY = 1.0
SHARES = (EVERYBODY, 0.9, 0.5)
SLACK = 1e-12  # of the numbers themselves: a difference of two decimals is no decimal
MOST_VALUES = 2_000  # distinct numbers of a perturbed column that are distinguished
DATE_TEXT = r"\d{4}-\d{2}-\d{2}"


@dataclass(frozen=True)
class ColumnCodebook:
    """One released column: its values ``before`` (n_released,) the treatment, in the order of the released records.

    ``reading``: how they were changed, None if unknown (the values then only show which labels the treatment made).
    ``share`` of the people have to be within the reach of a perturbed column.
    """

    before: pd.Series = field(repr=False)
    reading: Reading | None = None
    share: float = EVERYBODY


@dataclass(frozen=True)
class Codebook:
    """The released records before their treatment (n_released, n_columns), and how each changed column is read."""

    before: pd.DataFrame = field(repr=False)
    readings: Mapping[str, Reading] = field(default_factory=dict)
    share: float = EVERYBODY

    def column(self, name: str) -> ColumnCodebook | None:
        """The codebook of one column; None if it did not exist before."""
        if name not in self.before:
            return None
        return ColumnCodebook(self.before[name], self.readings.get(name), self.share)

    def shares_tried(self, released: pd.DataFrame, names: Sequence[str]) -> tuple[float, ...]:
        """For which shares of the people an attacker sets the reach: a narrow one finds more of fewer people."""

        def moved(name: str) -> bool:
            if self.readings.get(name) != Reading.AS_LABEL:
                return self.readings.get(name) == Reading.PERTURBED
            before, after = parse_numbers(self.before[name]), parse_numbers(released[name])
            return encode_column(released[name]).is_numeric and reach_of(before, after, EVERYBODY) > 0

        return SHARES if any(map(moved, names)) else SHARES[:1]


def column_of(codebook: Codebook | None, name: str) -> ColumnCodebook | None:
    """The codebook of one column, None without a codebook."""
    return None if codebook is None else codebook.column(name)


def numbers_or_days(*columns: pd.Series) -> list[np.ndarray] | None:
    """The columns as floats, or as days where all are complete dates (YYYY-MM-DD); None where one is other text."""
    numbers = [parse_numbers(column) for column in columns]
    if all(np.isnan(one).sum() == column.isna().sum() for one, column in zip(numbers, columns, strict=True)):
        return numbers
    texts = [column.astype("str") for column in columns]
    if not all(text.dropna().str.fullmatch(DATE_TEXT).all() for text in texts):
        return None
    days = [pd.to_datetime(text, format="%Y-%m-%d", errors="coerce") for text in texts]
    if any(day.isna().sum() > text.isna().sum() for day, text in zip(days, texts, strict=True)):
        return None
    return [
        np.where(day.isna(), np.nan, day.to_numpy().astype("datetime64[D]").astype(np.int64).astype(float))
        for day in days
    ]


def reach_of(before: np.ndarray, after: np.ndarray, share: float) -> float:
    """The distance within which this share of the people's numbers (n_released,) stayed; 0 without any."""
    both = ~np.isnan(before) & ~np.isnan(after)
    if not both.any():
        return 0.0
    moved = np.abs(after[both] - before[both])
    slack = SLACK * float(np.abs(np.concatenate([before[both], after[both]])).max())
    reach = float(np.quantile(moved, share, method="higher"))
    return reach + slack if reach else 0.0


def coarser_within(
    after: np.ndarray, known: np.ndarray, reach: float, most_values: int = MOST_VALUES
) -> tuple[np.ndarray, np.ndarray, float]:
    """Released and known numbers and their reach; rounded, and wider by it, where there are too many to be compared.

    Whatever is within reach of each other before is so afterwards: a record is never ruled out by rounding.
    """
    both = np.concatenate([after, known])
    both = both[~np.isnan(both)]
    if not reach or len(np.unique(both)) <= most_values:
        return after, known, reach
    width = max(reach / 16, float(np.ptp(both)) / most_values)
    rounded = [np.round(one / width) * width for one in (after, known)]
    return rounded[0], rounded[1], reach + width + SLACK * float(np.abs(both).max())


def kept_share(before: pd.Series, released: pd.Series) -> float:
    """The share of released values (of those not missing) that are as they were, in [0, 1]; 1 without any."""
    old, new = encode_column(before), encode_column(released)
    as_released = np.append(code_of_equal(new, old), -1)[old.codes]
    both = (old.codes >= 0) & (new.codes >= 0)
    return float((as_released == new.codes)[both].mean()) if both.any() else 1.0


def released_numbers(codebook: ColumnCodebook, released: pd.Series, known: np.ndarray) -> np.ndarray:
    """Known numbers (n_known,) as the treatment would release them, each like the nearest number that it was given.

    For columns whose value alone decides. Missing stays missing.
    """
    before, after = parse_numbers(codebook.before), parse_numbers(released)
    both = ~np.isnan(before) & ~np.isnan(after)
    given, first = np.unique(before[both], return_index=True)
    if not len(given):
        return known
    above = np.clip(np.searchsorted(given, known), 0, len(given) - 1)
    below = np.maximum(above - 1, 0)
    nearest = np.where(known - given[below] <= given[above] - known, below, above)
    return np.where(np.isnan(known), np.nan, after[both][first][nearest])


def code_of_equal(theirs: EncodedColumn, mine: EncodedColumn) -> np.ndarray:
    """Code of the released label that equals each known one (n_known_values,), -1 for none."""
    if theirs.is_numeric == mine.is_numeric:
        return pd.Index(theirs.labels).get_indexer(pd.Index(mine.labels))
    exact = pd.Index(canonical_labels_of(theirs)).get_indexer(pd.Index(canonical_labels_of(mine)))
    first, as_written = np.unique(texts_of(theirs.labels).astype(str), return_index=True)[::-1]
    written = np.append(first, -1)[pd.Index(as_written).get_indexer(texts_of(mine.labels).astype(str))]
    return np.where(exact >= 0, exact, written)


def pairs_of(before: EncodedColumn, released: EncodedColumn) -> np.ndarray:
    """The label of each value: distinct pairs of codes (n_pairs, 2), without those missing on a side."""
    both = (before.codes >= 0) & (released.codes >= 0)
    n_codes = len(before.labels), len(released.labels)
    return np.stack(count_pairs(before.codes[both], released.codes[both], *n_codes)[:2], axis=1)


def label_of_value(before: EncodedColumn, released: EncodedColumn) -> np.ndarray | None:
    """The one label that each value (n_values,) became, -1 for none; None where some value became several."""
    pairs = pairs_of(before, released)
    if len(np.unique(pairs[:, 0])) < len(pairs):
        return None
    label = np.full(len(before.labels), -1)
    label[pairs[:, 0]] = pairs[:, 1]
    return label


@dataclass(frozen=True)
class AttackedRelease:
    """What an attacker sees: ``frame`` (n_released, n_columns); ``kept`` are its records' positions in the pilot.

    ``readings``: how someone with the codebook reads the columns that the treatment changed.
    """

    name: str
    frame: pd.DataFrame = field(repr=False)
    kept: np.ndarray
    readings: Mapping[str, Reading] = field(default_factory=dict)

    def codebook(self, pilot: pd.DataFrame) -> Codebook | None:
        """How the released records became what they are; None where they were not treated."""
        if self.name == "combined":
            return None
        return Codebook(pilot.iloc[self.kept].reset_index(drop=True), self.readings)


def releases_of(pilot: pd.DataFrame, treated: TreatedPilot | None, which: str) -> list[AttackedRelease]:
    """The untreated combined dataset, the treated one, or both; ``treated`` is the treatment's outcome, or None."""
    found = []
    if which != "treated":
        found.append(AttackedRelease("combined", pilot, np.arange(len(pilot))))
    if which != "combined" and treated is not None:
        frame = treated.frame.reset_index(drop=True)
        found.append(AttackedRelease("treated", frame, np.asarray(treated.kept), treated.readings))
    if not found:
        raise FaultyInputError(
            'linkage_attack["released"]: no treatment ran before; add the key treatment to the config'
        )
    return found
