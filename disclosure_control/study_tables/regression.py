"""Regressions with standard errors: least squares, and the logistic one."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

MOST_STEPS, CLOSE = 50, 1e-10
LARGEST = 15.0  # a coefficient of the logistic regression beyond it, per standard deviation, has no end


@dataclass(frozen=True)
class Estimates:
    """Coefficients (n_columns,) of a design and their standard errors."""

    value: np.ndarray = field(repr=False)
    error: np.ndarray = field(repr=False)


def least_squares(design: np.ndarray, outcome: np.ndarray) -> Estimates | None:
    """The line through the outcomes (n,) of a design (n, n_columns); None where the design does not determine it."""
    n, width = design.shape
    if n <= width or np.linalg.matrix_rank(design) < width:
        return None
    inverse = np.linalg.inv(design.T @ design)
    value = inverse @ design.T @ outcome
    residual = outcome - design @ value
    return Estimates(value, np.sqrt(np.diag(inverse) * (residual @ residual) / (n - width)))


def logistic(design: np.ndarray, outcome: np.ndarray) -> Estimates | None:
    """The logistic regression of outcomes 0 and 1 (n,); None where it does not converge, as if they are separated.

    By Newton's steps; errors are those of Wald.
    """
    n, width = design.shape
    if n <= width or np.linalg.matrix_rank(design) < width or len(np.unique(outcome)) < 2:
        return None
    value, spread = np.zeros(width), design.std(axis=0)
    for _ in range(MOST_STEPS):
        share = 1 / (1 + np.exp(-np.clip(design @ value, -500, 500)))
        information = design.T @ (design * (share * (1 - share))[:, None])
        if np.linalg.matrix_rank(information) < width:
            return None
        step = np.linalg.solve(information, design.T @ (outcome - share))
        value = value + step
        if (np.abs(value * spread) > LARGEST).any():
            return None
        if np.abs(step).max() < CLOSE * max(1.0, np.abs(value).max()):
            return Estimates(value, np.sqrt(np.diag(np.linalg.inv(information))))
    return None
