"""How likely an intruder finds out whose record it is: prosecutor, journalist and marketer.

The prosecutor knows that a person is in the data and searches that person: the risk of a record is 1/f, f being the
people who share its quasi-identifiers. The journalist does not know and picks anyone: 1/F, F being the people of the
population who share them. The marketer wants as many right matches as possible and is judged by the average. All of it
is a function of f and F per class; a policy for missing quasi-identifiers defines f and F.

Source: El Emam and Dankar 2008, doi:10.1197/jamia.M2716; El Emam 2013, Guide to the De-Identification of Personal
Health Information, chapter 16.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from Anonymization_Models import EquivalenceClasses, classes_of_columns
from disclosure_control.basics.encoding.columns import EncodedColumn, encode_column, labels_of
from disclosure_control.basics.encoding.wildcards import sum_over_compatible
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.measures.sampling_weights import exact_risk, frequencies

ROUNDING = 1e-12  # relative; sums of shares alpha are off by as much


@dataclass(frozen=True)
class ReidentificationRisk:
    """What one kind of intruder achieves; all rates and risks in [0, 1], larger is riskier.

    ``of_class`` (n_classes,): the chance that the right person is picked for a record of the class, NaN where it is not
    evaluated. ``highest``, ``average`` and ``lowest`` are over the evaluated records, ``at_risk_rate`` is the share
    of them above ``threshold``; None where nothing was evaluated.
    """

    threshold: float
    classes: EquivalenceClasses
    of_class: np.ndarray
    n_evaluated: int
    highest: float | None
    average: float | None
    lowest: float | None
    at_risk_rate: float | None

    @cached_property
    def of_record(self) -> np.ndarray:
        """The risk of each record (n_records,), NaN where it is not evaluated."""
        return self.of_class[self.classes.class_of_record]


def smallest_class_within(threshold: float) -> int:
    """The smallest k for which 1/k is not above ``threshold``, a number in (0, 1]: 10 for 0.1, 12 for 0.09."""
    return math.ceil(1.0 / threshold * (1.0 - ROUNDING))


def prosecutor_risk(
    classes: EquivalenceClasses, threshold: float = 0.2, missing_qis: str = "category", alpha: float = 1.0
) -> ReidentificationRisk:
    """Chance of picking the right record for a person who is known to be in the data: 1/f.

    f are the people whom a person of the class cannot be distinguished from, under the policy ``missing_qis`` and, for
    "wildcard", with ``alpha`` as in ``sum_over_compatible``. Policy and threshold are checked where a config is read.
    Source: El Emam and Dankar 2008, doi:10.1197/jamia.M2716.
    """
    f, _ = frequencies(classes, None, missing_qis, alpha)
    return _summarise(classes, 1.0 / f, threshold, missing_qis)


def journalist_risk(
    classes: EquivalenceClasses,
    threshold: float = 0.2,
    missing_qis: str = "category",
    alpha: float = 1.0,
    population_size: np.ndarray | None = None,
    sampling_fraction: float | None = None,
) -> ReidentificationRisk:
    """Chance of picking the right person of the population for a record (k-map): 1/F.

    ``population_size`` (n_classes,) are the people of the population in each class, as ``count_population`` gives
    them. Where only the ``sampling_fraction`` in (0, 1] is known, F is not, and the risk is the expectation of 1/F
    for a class of f people drawn with that fraction (``exact_risk``), a little more than fraction / f. With
    neither, the pilot is its own population. Raises ``FaultyInputError`` if a class has fewer people in the population
    than in the pilot. Source: El Emam and Dankar 2008;
    Sweeney 2002 (k-map); Franconi and Polettini 2004, doi:10.1007/978-3-540-25955-8_20.

    Its ``average`` is that of the marketer: the share of all records that are matched rightly when each is matched with
    a person of the population, the sum of f/F over the classes divided by the records. Never above the average
    prosecutor risk. Source: Dankar and El Emam 2010, doi:10.1145/1754239.1754271.
    """
    risk = _risk_in_population(classes, missing_qis, alpha, population_size, sampling_fraction)
    return _summarise(classes, risk, threshold, missing_qis)


INTRUDERS = ("prosecutor", "journalist", "marketer")


def intruders(
    classes: EquivalenceClasses,
    threshold: float = 0.2,
    missing_qis: str = "category",
    alpha: float = 1.0,
    population_size: np.ndarray | None = None,
    sampling_fraction: float | None = None,
) -> dict[str, ReidentificationRisk]:
    """What each of ``INTRUDERS`` achieves, by name; the size of the population does not matter to the prosecutor."""
    unsure = journalist_risk(classes, threshold, missing_qis, alpha, population_size, sampling_fraction)
    known = prosecutor_risk(classes, threshold, missing_qis, alpha)
    return dict(zip(INTRUDERS, (known, unsure, unsure), strict=True))


def _risk_in_population(
    classes: EquivalenceClasses,
    missing_qis: str,
    alpha: float,
    population_size: np.ndarray | None,
    sampling_fraction: float | None,
) -> np.ndarray:
    f, _ = frequencies(classes, None, missing_qis, alpha)
    if sampling_fraction is not None:
        return exact_risk(f, f / sampling_fraction)
    if population_size is None:
        return 1.0 / f
    evaluated, population_f = classes.evaluated(missing_qis), np.asarray(population_size, dtype=float)
    n_too_small = int(too_small_for_the_pilot(classes, population_f, missing_qis).sum())
    if n_too_small:
        raise FaultyInputError(
            f"population_size: {n_too_small} of {int(evaluated.sum())} classes have fewer people in the population "
            "than in the pilot; the population must hold the pilot's people too, or be counted with "
            "includes_sample=False"
        )
    # Nobody in a complete population has the gaps of a pilot, and who has gaps there may be counted for several here:
    # then F is taken to be f, which is never too small a risk.
    return 1.0 / np.where(evaluated, np.maximum(population_f, f), f)


def too_small_for_the_pilot(
    classes: EquivalenceClasses, population_size: np.ndarray, missing_qis: str = "category"
) -> np.ndarray:
    """Evaluated classes without a missing value that have fewer people in the population than in the pilot:
    (n_classes,) of bool.

    If there is one, the population does not contain the pilot's people, or is coded differently.
    """
    enough = population_size >= classes.size * (1.0 - ROUNDING)
    return classes.evaluated(missing_qis) & classes.complete & ~enough


def _summarise(
    classes: EquivalenceClasses, risk: np.ndarray, threshold: float, missing_qis: str
) -> ReidentificationRisk:
    evaluated = classes.evaluated(missing_qis)
    of_class = np.where(evaluated, risk, np.nan)
    people, risk = classes.size[evaluated], risk[evaluated]
    n_evaluated = int(people.sum())
    figures: tuple[float | None, ...] = (None, None, None, None)
    if n_evaluated:
        at_risk = risk > threshold * (1.0 + ROUNDING)
        average = math.fsum(people * risk) / n_evaluated
        figures = (float(risk.max()), average, float(risk.min()), int(people[at_risk].sum()) / n_evaluated)
    return ReidentificationRisk(threshold, classes, of_class, n_evaluated, *figures)


# ---------------------------------------------------------------- the profile of the whole pilot


@dataclass(frozen=True)
class RiskProfile:
    """How many records are exposed, whatever the intruder; rates are shares of the evaluated records in [0, 1].

    ``unique_rate``: records whose quasi-identifiers nobody else shares; ``k_at_most_rate``: by threshold k, records
    with k at or below it. ``expected_reidentifications``: how many records an intruder gets right who matches all of
    them with the people of the pilot, the sum of 1/k; without wildcards it is the number of classes. ``global_risk`` is
    their share. Larger is riskier; None if nothing was evaluated.
    """

    n_evaluated: int
    n_unique: int
    unique_rate: float | None
    n_k_at_most: dict[int, int]
    k_at_most_rate: dict[int, float | None]
    expected_reidentifications: float
    global_risk: float | None


def risk_profile(
    classes: EquivalenceClasses,
    thresholds: Iterable[int] = (1, 2, 3, 5, 10),
    missing_qis: str = "category",
    alpha: float = 1.0,
) -> RiskProfile:
    """Uniques, records with k at or below each of ``thresholds``, and expected re-identifications.

    Policy and ``alpha`` as in ``prosecutor_risk``. Source: Skinner and Elliot 2002, doi:10.1111/1467-9868.00365
    (uniques); Templ et al. 2015, doi:10.18637/jss.v067.i04 (global risk).
    """
    f, _ = frequencies(classes, None, missing_qis, alpha)
    evaluated = classes.evaluated(missing_qis)
    f, people = f[evaluated], classes.size[evaluated]
    n_evaluated = int(people.sum())

    def rate(n: float) -> float | None:
        return n / n_evaluated if n_evaluated else None

    n_at_most = {k: int(people[f <= k * (1.0 + ROUNDING)].sum()) for k in (1, *thresholds)}
    expected = math.fsum(people / f)
    return RiskProfile(
        n_evaluated=n_evaluated,
        n_unique=n_at_most[1],
        unique_rate=rate(n_at_most[1]),
        n_k_at_most={k: n_at_most[k] for k in thresholds},
        k_at_most_rate={k: rate(n_at_most[k]) for k in thresholds},
        expected_reidentifications=expected,
        global_risk=rate(expected),
    )


# ---------------------------------------------------------------- the population


def count_population(
    classes: EquivalenceClasses,
    population: pd.DataFrame,
    missing_qis: str = "category",
    alpha: float = 1.0,
    includes_sample: bool = True,
) -> np.ndarray:
    """People of a population table in each class of the pilot: (n_classes,), for ``journalist_risk``.

    ``population`` has one row per person and the quasi-identifiers as the pilot has them, binned alike. Values are
    the same where they read the same, whether stored as numbers or as text. Under "wildcard" a missing value on
    either side may be any value, ``alpha`` as for the pilot itself. ``includes_sample=False`` adds the pilot's own
    people. Smaller is riskier. Source: Sweeney 2002.
    """
    joint = _classes_with(classes, population)
    ours = joint.class_of_record[: classes.n_classes]
    people = np.bincount(joint.class_of_record[classes.n_classes :], minlength=joint.n_classes).astype(float)
    if not includes_sample:
        people[ours] += classes.size
    if missing_qis == "wildcard":
        people = sum_over_compatible(joint, people, alpha)
    return people[ours]


def _classes_with(classes: EquivalenceClasses, population: pd.DataFrame) -> EquivalenceClasses:
    """Classes of the pilot, each as one record, followed by the population's people, under common codes."""
    columns = []
    for name, column in zip(classes.quasi_identifiers, classes.columns_of_classes, strict=True):
        theirs = _in_codes_of(column, encode_column(population[name]))
        # One label more, for all values that nobody in the pilot has.
        columns.append(
            EncodedColumn(
                np.concatenate([column.codes, theirs]), np.append(column.labels.astype(object), np.array([None]))
            )
        )
    return classes_of_columns(classes.quasi_identifiers, columns, classes.n_classes + len(population))


def _in_codes_of(column: EncodedColumn, other: EncodedColumn) -> np.ndarray:
    """The codes of ``other`` in those of ``column``; values that it does not have get the code after its last."""
    both_numeric = column.is_numeric and other.is_numeric
    labels, sought = (one.labels if both_numeric else np.array(labels_of(one), object) for one in (column, other))
    code, distinct = pd.factorize(labels)
    first = np.append(np.unique(code, return_index=True)[1], len(labels))  # two numbers may read the same
    return np.append(first[pd.Index(distinct).get_indexer(sought)], -1)[other.codes]
