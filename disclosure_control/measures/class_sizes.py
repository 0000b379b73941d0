"""Measures of the sizes of the equivalence classes alone: their sizes, and who is known to be in them."""

from __future__ import annotations

import numpy as np

from disclosure_control.basics.telling.faults import FaultyInputError


def average_class_size(size: np.ndarray, n_suppressed: int = 0) -> float:
    """People per equivalence class, all suppressed ones together being one class more; from 1 to n, 0 of nobody.

    ``size`` (n_classes,) counts the people of each class that is kept; smaller is riskier (and more useful). Source:
    LeFevre, DeWitt and Ramakrishnan 2006 (C_AVG before it is divided by k), doi:10.1109/ICDE.2006.101; ARX.
    """
    n = int(np.sum(size)) + n_suppressed
    return n / max(len(size) + (n_suppressed > 0), 1)


def discernibility(size: np.ndarray, n_suppressed: int = 0) -> float:
    """Pairs of records that cannot be distinguished: sum of squared sizes, and n for each suppressed record.

    From n to n squared, n counting the suppressed; smaller is riskier (and more useful). ``size`` (n_classes,) counts
    the people of each class that is kept. Source: Bayardo and Agrawal 2005, doi:10.1109/ICDE.2005.42; ARX.
    """
    size = np.asarray(size, dtype=np.int64)  # 32 bits would overflow
    n = int(size.sum()) + n_suppressed
    return float(np.dot(size, size)) + float(n) * n_suppressed


def delta_presence(size: np.ndarray, population_size: np.ndarray) -> np.ndarray:
    """How sure an attacker may be that a person of the population is in the data: the share of each class that is.

    ``size`` and ``population_size`` (n_classes,) count the people of each class of the population, in the data and in
    all; a class without people in the data has size 0. Measure (n_classes,) in [0, 1]; larger is riskier, and so is a
    share below delta_min, which discloses that someone is not in the data: (delta_min, delta_max)-presence holds if
    delta_min <= measure <= delta_max in every class. Raises ``FaultyInputError`` on classes with more people in the
    data than in the population. Source: Nergiz, Atzori and Clifton 2007, doi:10.1145/1247480.1247554.
    """
    size, population_size = np.asarray(size), np.asarray(population_size)
    n_too_large = int(((size > population_size) | (population_size <= 0)).sum())
    if n_too_large:
        raise FaultyInputError(
            f"delta_presence: {n_too_large} of {len(size)} classes have more people in the data than the population, "
            "or none in that; allowed: a population that contains the data; check that both are coded alike"
        )
    return size / population_size
