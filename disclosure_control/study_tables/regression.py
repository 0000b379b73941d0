"""The outcome that a config asks for, and regressions with standard errors: least squares, the logistic one, Cox's."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from disclosure_control.basics.settings.fields import SettingsGroup, setting
from disclosure_control.basics.settings.kinds import COLUMN, COLUMNS, Place

MOST_STEPS, CLOSE = 50, 1e-10
LARGEST = 15.0  # a coefficient of log odds or log hazards, or its error, beyond it, per deviation, has no end


@dataclass(frozen=True)
class OutcomeAsked(SettingsGroup):
    """An outcome ``column`` and its predictors ``by``; with a ``time``, the outcome is an event that had happened then.

    Columns are those of the combined dataset.
    """

    column: str = setting(COLUMN, "the outcome: a column of numbers, or of two values")
    by: tuple[str, ...] = setting(
        COLUMNS,
        "the columns by which it is predicted; with `time`, one that divides people, or several for a Cox regression",
    )
    time: str | None = setting(
        COLUMN,
        "the column with the time until the outcome or, where it did not happen, until the person was last seen",
        None,
        "the outcome has no time",
    )

    def check(self, place: Place, given: Mapping[str, Any]) -> Iterator[str]:
        """The library for several predictors of a time, where it is missing."""
        if self.time is not None and len(self.by) > 1 and find_spec("statsmodels") is None:
            install = "install it: pip install -r requirements/survival.txt"
            yield f"{place['by']}: several predictors of a time need the library statsmodels; {install}"


class Estimates(NamedTuple):
    """Coefficients (n_columns,) of a design and their standard errors."""

    value: np.ndarray
    error: np.ndarray


def _determines(design: np.ndarray) -> bool:
    """Whether a design (n, n_columns) has more people than columns, of which none follows from the others."""
    return bool(len(design) > design.shape[1] == np.linalg.matrix_rank(design))


def least_squares(design: np.ndarray, outcome: np.ndarray) -> Estimates | None:
    """The line through the outcomes (n,) of a design (n, n_columns); None where the design does not determine it."""
    if not _determines(design):
        return None
    inverse = np.linalg.inv(design.T @ design)
    value = inverse @ design.T @ outcome
    residual = outcome - design @ value
    return Estimates(value, np.sqrt(np.diag(inverse) * (residual @ residual) / np.subtract(*design.shape)))


def logistic(design: np.ndarray, outcome: np.ndarray) -> Estimates | None:
    """The logistic regression of outcomes 0 and 1 (n,); None where it does not converge, as if they are separated.

    By Newton's steps; errors are those of Wald.
    """
    if not _determines(design) or len(np.unique(outcome)) < 2:
        return None
    value = np.zeros(design.shape[1])
    for _ in range(MOST_STEPS):
        share = 1 / (1 + np.exp(-np.clip(design @ value, -500, 500)))
        information = design.T @ (design * (share * (1 - share))[:, None])
        if np.linalg.matrix_rank(information) < len(value):
            return None
        step = np.linalg.solve(information, design.T @ (outcome - share))
        value = value + step
        if np.abs(step).max() < CLOSE * max(1.0, np.abs(value).max()):
            return _with_an_end(Estimates(value, np.sqrt(np.diag(np.linalg.inv(information)))), design)
    return None


def _with_an_end(found: Estimates, design: np.ndarray) -> Estimates | None:
    """The estimates; None where one has no end, because a predictor separates the outcomes."""
    largest = np.maximum(np.abs(found.value), found.error) * design.std(axis=0)
    return found if (largest <= LARGEST).all() else None


def cox(design: np.ndarray, time: np.ndarray, happened: np.ndarray) -> Estimates | None:
    """Cox's regression of times (n,) to events that ``happened`` (n,) or were not seen: log hazard ratios.

    ``design`` (n, n_columns) has no column of ones. Ties by Efron's method. None where it does not converge, as if the
    predictors determine who has the event first. Source: Cox 1972; Efron 1977, doi:10.1080/01621459.1977.10480613.
    """
    if happened.sum() <= design.shape[1] or not _determines(design - design.mean(axis=0)):
        return None
    from statsmodels.duration.hazard_regression import PHReg

    regression = PHReg(time, design, status=happened.astype(int), ties="efron")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a fit without an end is seen by its coefficients
        try:
            found = regression.fit()
        except np.linalg.LinAlgError:
            return None
    value, error = np.asarray(found.params), np.asarray(found.bse)
    is_found = np.isfinite(value).all() and np.isfinite(error).all() and (error > 0).all()
    return _with_an_end(Estimates(value, error), design) if is_found else None
