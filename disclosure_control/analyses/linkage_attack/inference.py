"""Attribute inference: what does the release disclose about a person whose other attributes are known?

The attacker finds the released records nearest to the person and takes their commonest sensitive value. The baseline
takes, without looking at the person, the one value that is right for most of the released people; of labels that
represent several values, the one that covers most of them, as "0--99" is right for everyone below 100. What is right
for people who are not in the release (control) is knowledge about the population, not about a participant. Source:
Giomi et al. 2023, doi:10.56553/popets-2023-0055, section 4.3.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from Anonymization_Models import CountTable, count_sensitive_values
from config.model_settings import PilotConfig
from disclosure_control.analyses.linkage_attack.agreement import (
    compatible_values,
    equal_values,
    labels_with_many_values,
)
from disclosure_control.analyses.linkage_attack.codebook import Codebook, ColumnCodebook, column_of
from disclosure_control.analyses.linkage_attack.column_agreement import ColumnAgreement
from disclosure_control.analyses.linkage_attack.kinds import (
    DEFAULT_ATTACKS,
    N_ATTACKS,
    AttackKind,
    AttackPart,
    AttackScene,
)
from disclosure_control.analyses.linkage_attack.labels import people_covered
from disclosure_control.analyses.linkage_attack.nearest import (
    ReleasedKinds,
    nearest_kinds,
    released_kinds,
    unread_columns,
)
from disclosure_control.analyses.linkage_attack.rates import AttackRates, Rate
from disclosure_control.analyses.linkage_attack.told import AttackTold
from disclosure_control.basics.encoding.columns import encode_column, parse_numbers
from disclosure_control.basics.settings.fields import setting
from disclosure_control.basics.settings.kinds import COLUMN_OR_COLUMNS, COLUMNS, Kind, Place, is_number
from disclosure_control.basics.telling.small_counts import MASKED, people_on_screen
from disclosure_control.remedy.treatments.registry import Reading

TOLERANCE = 0.05


@dataclass(frozen=True)
class Inference:
    """What came of guessing ``secret`` from ``known`` attributes: rates over people whose secret is known.

    ``n_without_secret`` people of those drawn have none and were not attacked; ``tolerance`` is how far a number may be
    off, as a share of the true one, None for categories.
    """

    secret: str
    known: tuple[str, ...]
    rates: AttackRates
    n_without_secret: int
    tolerance: float | None


def infer_attribute(
    released: pd.DataFrame,
    people: pd.DataFrame,
    secret: str,
    known: Sequence[str],
    control: pd.DataFrame | None = None,
    tolerance: float = TOLERANCE,
    codebook: Codebook | None = None,
) -> Inference:
    """Guess ``secret`` of each of the ``people`` and of the ``control`` group from the attributes ``known``.

    A guessed number is right if it differs by at most ``tolerance`` of the true one, whatever its sign; a true 0 must
    be matched exactly. A released label, such as an interval, is right if it represents the true value. Rates are in
    [0, 1], larger is riskier. ``codebook``: what is known of the treatment.
    """
    kinds = released_kinds(released, known, codebook)
    table = count_sensitive_values(kinds.classes, released[secret]).table
    attacked, n_without = _with_secret(people, secret)
    answers = Answers(table, released[secret], column_of(codebook, secret), tolerance)
    common = answers.commonest(attacked[secret])

    def success(of: pd.DataFrame, guess: np.ndarray) -> Rate:
        return Rate(int((answers.are_right(guess, of[secret]) & (guess >= 0)).sum()), len(of))

    def attack(of: pd.DataFrame) -> Rate:
        return success(of, _guesses(kinds, table, of))

    unread = [*unread_columns(kinds, attacked), *([] if answers.are_read(attacked[secret]) else [secret])]
    others = None if control is None else _with_secret(control, secret)[0]
    rates = AttackRates(
        attack(attacked),
        success(attacked, np.full(len(attacked), common)),
        None if others is None else attack(others),
        n_unread=len(attacked) if unread else 0,
        unread=tuple(unread),
    )
    return Inference(secret, tuple(known), rates, n_without, tolerance if table.is_numeric else None)


def _with_secret(people: pd.DataFrame, secret: str) -> tuple[pd.DataFrame, int]:
    has_secret = encode_column(people[secret]).codes >= 0
    return people[has_secret], int((~has_secret).sum())


def _guesses(kinds: ReleasedKinds, table: CountTable, people: pd.DataFrame) -> np.ndarray:
    """Code of the commonest value among the nearest records of each person, the first of several; -1 without any."""
    from scipy.sparse import csr_array

    if not len(people) or not len(table.values):
        return np.full(len(people), -1)
    shape = (table.n_classes, len(table.values))
    counts = csr_array((table.people, (table.class_of_cell, table.value_of_cell)), shape=shape)
    person, kind = nearest_kinds(kinds, people)
    nearest = csr_array((np.ones(len(person), dtype=np.int64), (person, kind)), shape=(len(people), table.n_classes))
    votes = (nearest @ counts).tocoo()
    order = np.lexsort((votes.col, -votes.data, votes.row))
    row, first = np.unique(votes.row[order], return_index=True)
    guess = np.full(len(people), -1)
    guess[row] = votes.col[order][first]
    return guess


@dataclass(frozen=True)
class Answers:
    """The released values of the ``secret`` as answers: which of them are right for which people.

    ``table`` counts the ``released`` values (n_released,); ``codebook`` is what is known of their treatment.
    """

    table: CountTable
    released: pd.Series = field(repr=False)
    codebook: ColumnCodebook | None
    tolerance: float

    @cached_property
    def _are_labels(self) -> bool:
        """Whether a released number represents all values that became it, such as 30 for 25 to 35."""
        return not self.table.is_numeric or (self.codebook is not None and self.codebook.reading == Reading.BY_VALUE)

    def are_right(self, guess: np.ndarray, truth: pd.Series) -> np.ndarray:
        """Whether the guessed values, by their codes (n_people,), are right for the true ones."""
        right = np.zeros(len(truth), dtype=bool)
        if not len(self.table.values):  # nothing is released to guess from
            return right
        if self.table.is_numeric:
            right |= _is_near(self.table.values[guess], parse_numbers(truth), self.tolerance)
        if self._are_labels:
            codes = encode_column(self.released).codes
            example = np.zeros(codes.max(initial=0) + 2, dtype=np.int64)  # a record that has the value
            example[codes] = np.arange(len(codes))
            column = self._agreement(truth)
            right |= column.agree(np.arange(len(truth)), example[guess], missing_agrees=False)
        return right

    def _agreement(self, truth: pd.Series) -> ColumnAgreement:
        codebook = self.codebook
        if codebook is not None and codebook.reading == Reading.PERTURBED:
            return equal_values(self.released, truth)
        return compatible_values(self.released, truth, codebook=codebook)

    def are_read(self, truth: pd.Series) -> bool:
        """Whether any released value represents any true one; numbers can always be read."""
        return self.table.is_numeric or self._agreement(truth).is_read

    def commonest(self, truth: pd.Series) -> int:
        """Code of the released value that is right for most released people; -1 where there is none."""
        if not len(self.table.values):
            return -1
        if self.codebook is not None and self.codebook.reading in (Reading.BY_VALUE, Reading.AS_LABEL):
            return int(self._right_for(self.codebook.before).argmax())
        if self.table.is_numeric:
            return int(self._near(self.table.values, self.table.people_of_value).argmax())
        patterns = labels_with_many_values(self.released, truth)
        return int(people_covered(self.table.values, self.table.people_of_value, patterns).argmax())

    def _right_for(self, before: pd.Series) -> np.ndarray:
        """For how many of the released people, whose values ``before`` are known, each value is right (n_values,)."""
        column = self._agreement(before)
        n_people = np.bincount(column.known[column.known >= 0], minlength=column.n_codes)
        values = np.arange(len(self.table.values))
        if column.overlap is None:
            right = n_people[values].astype(float)
        else:
            held = np.flatnonzero(n_people)
            right = n_people[held] @ column.overlap.same(held[:, np.newaxis], values)
        if not self.table.is_numeric:
            return right
        numbers = parse_numbers(before)
        there = (column.known >= 0) & (column.released >= 0)
        mine = np.where(there, column.released, 0)
        both = there & _is_near(self.table.values[mine], numbers, self.tolerance)
        twice = np.bincount(mine[both], minlength=len(values))
        distinct, n_of = np.unique(numbers[~np.isnan(numbers)], return_counts=True)
        return right + self._near(distinct, n_of) - twice

    def _near(self, truth: np.ndarray, people: np.ndarray) -> np.ndarray:
        """For how many people each released number is near enough, of distinct ``truth`` in rising order."""
        # A guess g is right for every true s with |g - s| <= tolerance * |s|: between g/(1+tolerance) and
        # g/(1-tolerance).
        values = self.table.values
        ends = np.sort(np.array([values / (1 + self.tolerance), values / (1 - self.tolerance)]), axis=0)
        reach = 1e-12 * np.abs(ends)
        low = np.searchsorted(truth, ends[0] - reach[0], side="left")
        high = np.searchsorted(truth, ends[1] + reach[1], side="right")
        until = np.concatenate([[0], np.cumsum(people)])
        return until[high] - until[low]


def _is_near(guess: np.ndarray, truth: np.ndarray, tolerance: float) -> np.ndarray:
    return np.abs(guess - truth) <= tolerance * np.abs(truth) + 1e-12 * np.abs(truth)


# ---------------------------------------------------------------- the kind of attack


@dataclass(frozen=True)
class InferenceSettings(AttackPart):
    """Which columns are ``secret``, and which ``known``; ``tolerance`` is a share of the true number."""

    secret: tuple[str, ...] = setting(
        COLUMN_OR_COLUMNS, "what is to be learnt", (), "the sensitive features of the config"
    )
    known: tuple[str, ...] = setting(COLUMNS, "what the attacker knows", (), "the quasi-identifiers of the config")
    n_attacks: int = setting(N_ATTACKS, "people who are attacked", DEFAULT_ATTACKS)
    tolerance: float = setting(
        Kind(lambda value: is_number(value) and 0 <= value < 1, "a number from 0 and below 1"),
        "how far a guessed number may be off, as a share of the true one",
        TOLERANCE,
    )

    @property
    def columns_used(self) -> tuple[str, ...]:
        return self.known + self.secret

    def on(self, config: PilotConfig) -> InferenceSettings:
        """The secrets and known attributes; where the config names none, by the roles of the columns."""
        secret = self.secret or config.sensitive_features
        others = tuple(name for name in config.quasi_identifiers if name not in secret)
        return dataclasses.replace(self, secret=secret, known=self.known or others)

    def check(self, place: Place, given: Mapping[str, Any]) -> Iterator[str]:
        """Columns that are both secret and known, and nothing that is secret."""
        for name in self.secret:
            if name in self.known:
                yield f"{place}: column {name!r} is in both secret and known; leave it in one of them"
        if not self.secret and not place.pilot.sensitive_features:
            yield f"{place['secret']}: missing, and the config has no sensitive_feature"


def _attack(scene: AttackScene, settings: InferenceSettings) -> tuple[dict[str, AttackTold], list[str]]:
    released = scene.release.frame
    known, notes = scene.released(settings.known, "Inference")
    secrets, more = scene.released(settings.secret, "Inference")
    people, told = scene.people(settings.n_attacks), {}
    for secret in secrets if known else ():
        found = infer_attribute(released, people, secret, known, scene.control, settings.tolerance, scene.codebook)
        without = MASKED.told(found.n_without_secret, len(people))
        further = {"known": known, "without_secret": without, "tolerance": found.tolerance}
        told[secret] = AttackTold(found.rates, further)
        notes += found.rates.notes(f"Inference of {secret}")
        if found.n_without_secret:
            notes.append(
                f"Inference: {people_on_screen(without)} of {len(people)} people drawn have no {secret}: not attacked."
            )
    return told, notes + more


INFERENCE = AttackKind("Attribute inference: people whose value is told rightly", _attack)
