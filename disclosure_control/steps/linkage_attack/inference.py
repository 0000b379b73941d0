"""Attribute inference: what does the release tell of a person whose other attributes are known?

The attacker looks up the released records nearest to the person and takes their commonest sensitive value. The
baseline takes, without looking at the person, the one value that is right for most of the released people; of labels
that stand for several values the one that covers most of them, as "0--99" is right for everybody below 100. What is
right for people who are not in the release (control) is knowledge about the population, not about a participant.
Source: Giomi et al. 2023, doi:10.56553/popets-2023-0055, section 4.3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from Anonymization_Models import CountTable, count_sensitive_values
from config.model_settings import PilotConfig
from disclosure_control.basics.columns import encode_column, parse_numbers
from disclosure_control.basics.settings import COLUMNS, are_names, is_name, is_number
from disclosure_control.steps.linkage_attack.agreement import compatible_values, labels_with_many_values
from disclosure_control.steps.linkage_attack.kinds import (
    COLUMN_LIST,
    DEFAULT_ATTACKS,
    N_ATTACKS,
    AttackKind,
    Scene,
    as_tuple,
)
from disclosure_control.steps.linkage_attack.labels import people_covered
from disclosure_control.steps.linkage_attack.nearest import ReleasedKinds, nearest_kinds, released_kinds
from disclosure_control.steps.linkage_attack.rates import AttackRates, Rate

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
    original: pd.DataFrame | None = None,
) -> Inference:
    """Guess ``secret`` of each of the ``people`` and of the ``control`` group from the attributes ``known``.

    A guessed number is right where it is off by at most ``tolerance`` of the true one, whatever its sign; a true 0 has
    to be hit. A released interval is right where the true value falls inside. Rates are in [0, 1], larger is riskier.
    ``original``: the released records before their treatment, in the same order.
    """
    kinds = released_kinds(released, known, original)
    table = count_sensitive_values(kinds.classes, released[secret]).table
    before = None if original is None else original[secret]
    common = _commonest_value(table, tolerance, released[secret], people[secret], before)
    attacked, n_without = _with_secret(people, secret)

    def success(of: pd.DataFrame, guess: np.ndarray) -> Rate:
        if table.is_numeric:
            right = _is_near(table.values[guess], parse_numbers(of[secret]), tolerance)
        else:
            right = _is_compatible(released[secret], guess, of[secret], before)
        return Rate(int((right & (guess >= 0)).sum()), len(of))

    def attack(of: pd.DataFrame) -> Rate:
        return success(of, _guesses(kinds, table, of))

    others = None if control is None else _with_secret(control, secret)[0]
    rates = AttackRates(
        attack(attacked),
        success(attacked, np.full(len(attacked), common)),
        None if others is None else attack(others),
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


def _commonest_value(
    table: CountTable, tolerance: float, released: pd.Series, truth: pd.Series, before: pd.Series | None
) -> int:
    """Code of the released value that is right for most released people; -1 where there is none."""
    people = table.people_of_value
    if not len(table.values):
        return -1
    if not table.is_numeric:
        return int(people_covered(table.values, people, labels_with_many_values(released, truth, before)).argmax())
    # A guess g is right for every true s with |g - s| <= tolerance * |s|: between g/(1+tolerance) and g/(1-tolerance).
    ends = np.sort(np.array([table.values / (1 + tolerance), table.values / (1 - tolerance)]), axis=0)
    reach = 1e-12 * np.abs(ends)
    low = np.searchsorted(table.values, ends[0] - reach[0], side="left")
    high = np.searchsorted(table.values, ends[1] + reach[1], side="right")
    until = np.concatenate([[0], np.cumsum(people)])
    return int((until[high] - until[low]).argmax())


def _is_near(guess: np.ndarray, truth: np.ndarray, tolerance: float) -> np.ndarray:
    return np.abs(guess - truth) <= tolerance * np.abs(truth) + 1e-12 * np.abs(truth)


def _is_compatible(released: pd.Series, guess: np.ndarray, truth: pd.Series, before: pd.Series | None) -> np.ndarray:
    """Whether the guessed released values, by their codes (n_people,), may stand for the true ones."""
    codes = encode_column(released).codes
    example = np.zeros(codes.max(initial=0) + 2, dtype=np.int64)  # a record that has the value
    example[codes] = np.arange(len(codes))
    column = compatible_values(released, truth, original=before)
    return column.agree(np.arange(len(truth)), example[guess], missing_agrees=False)


# ---------------------------------------------------------------- the kind of attack


@dataclass(frozen=True)
class InferenceSettings:
    """Which columns are ``secret``, and which ``known``; ``tolerance`` is a share of the true number."""

    secret: tuple[str, ...]
    known: tuple[str, ...]
    n_attacks: int = DEFAULT_ATTACKS
    tolerance: float = TOLERANCE

    @property
    def columns_used(self) -> tuple[str, ...]:
        return self.known + self.secret


def _read(given: Mapping, config: PilotConfig) -> InferenceSettings:
    secret = as_tuple(given.get("secret", config.sensitive_features))
    others = [name for name in config.quasi_identifiers if name not in secret]
    return InferenceSettings(**{**given, "secret": secret, "known": tuple(given.get("known", others))})


def _faults(where: str, given: Mapping, config: PilotConfig) -> list[str]:
    faults = [
        f"{where}: column {name!r} stands in both secret and known"
        for name in as_tuple(given.get("secret", ()))
        if name in given.get("known", ())
    ]
    if "secret" not in given and not config.sensitive_features:
        faults.append(f"{where}['secret']: missing, and the config has no sensitive_feature")
    return faults


def _attack(scene: Scene, settings: InferenceSettings) -> tuple[dict[str, dict], list[str]]:
    released = scene.release.frame
    known, notes = scene.released(settings.known, "Inference")
    secrets, more = scene.released(settings.secret, "Inference")
    people, figures = scene.people(settings.n_attacks), {}
    for secret in secrets if known else ():
        found = infer_attribute(released, people, secret, known, scene.control, settings.tolerance, scene.before)
        figures[secret] = found.rates.figures() | {"known": known, "without_secret": found.n_without_secret}
        figures[secret]["tolerance"] = found.tolerance
        if found.n_without_secret:
            notes.append(
                f"Inference: {found.n_without_secret} of {len(people)} people drawn have no {secret}: not attacked."
            )
    return figures, notes + more


INFERENCE = AttackKind(
    question="what do the nearest released records tell of a person's sensitive value?",
    title="Attribute inference: people whose value is told rightly",
    allowed="a dictionary, {} for its defaults",
    keys={
        "secret": (lambda value: is_name(value) or are_names(value), f"a column name, or {COLUMN_LIST}"),
        "known": COLUMNS,
        "n_attacks": N_ATTACKS,
        "tolerance": (lambda value: is_number(value) and 0 <= value < 1, "a number from 0 and below 1"),
    },
    columns=("secret", "known"),
    read=_read,
    attack=_attack,
    faults=_faults,
)
