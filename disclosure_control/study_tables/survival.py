"""Time until an event, by group: the curve of Kaplan and Meier with Greenwood's error, and the log-rank test."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Survival:
    """Of each time asked and group (n_times, n_groups): people ``at_risk``, the share without the event, its error."""

    at_risk: np.ndarray = field(repr=False)
    share: np.ndarray = field(repr=False)
    error: np.ndarray = field(repr=False)


def kaplan_meier(time: np.ndarray, event: np.ndarray, group: np.ndarray, n_groups: int, at: np.ndarray) -> Survival:
    """The share of each group without the event until each of the times ``at`` (n_times,), which count as until.

    ``time`` (n_people,), ``event`` of bool, ``group`` (n_people,) whole numbers from 0. A share is NaN where nobody is
    at risk any more. Source: Kaplan and Meier 1958, doi:10.1080/01621459.1958.10501452; the error is Greenwood's.
    """
    shape = (len(at), n_groups)
    at_risk, share, error = np.zeros(shape, dtype=np.int64), np.full(shape, np.nan), np.full(shape, np.nan)
    for one in range(n_groups):
        own = group == one
        times, n_events, n_risk = _steps(time[own], event[own])
        with np.errstate(divide="ignore", invalid="ignore"):
            curve = np.cumprod(1 - n_events / n_risk)
            variance = np.cumsum(n_events / (n_risk * (n_risk - n_events)))
        place = np.searchsorted(times, at, side="right")
        at_risk[:, one] = (time[own][None, :] >= at[:, None]).sum(axis=1)
        value = np.append(1.0, curve)[place]
        # Where everybody had the event nothing is at risk, and the share of 0 has no error.
        spread = value * np.sqrt(np.where(value == 0, 0.0, np.append(0.0, variance)[place]))
        is_known = (at_risk[:, one] > 0) | (value == 0)
        share[:, one] = np.where(is_known, value, np.nan)
        error[:, one] = np.where(is_known, spread, np.nan)
    return Survival(at_risk, share, error)


def _steps(time: np.ndarray, event: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The times of events, how many happen then, and how many people are at risk until then."""
    times, n_events = np.unique(time[event], return_counts=True)
    n_risk = len(time) - np.searchsorted(np.sort(time), times, side="left")
    return times, n_events, n_risk


def log_rank(time: np.ndarray, event: np.ndarray, group: np.ndarray, n_groups: int) -> tuple[float, float]:
    """Chi-squared of the log-rank test of equal curves and its p-value; NaN where there is nothing to compare.

    Source: Mantel 1966; for several groups Peto and Peto 1972, doi:10.2307/2344317.
    """
    from scipy.special import gammaincc

    times = np.unique(time[event])
    there = [one for one in range(n_groups) if (group == one).any()]
    if len(there) < 2 or not len(times):
        return float("nan"), float("nan")
    n_events = np.stack([_counts(times, time[event & (group == one)]) for one in there])
    n_risk = np.stack(
        [(group == one).sum() - np.searchsorted(np.sort(time[group == one]), times, side="left") for one in there]
    )
    events, risk = n_events.sum(axis=0), n_risk.sum(axis=0)
    excess = (n_events - events * n_risk / risk).sum(axis=1)[:-1]
    weight = events * (risk - events) / np.maximum(risk - 1, 1)
    part = n_risk / risk
    spread = (weight * part) @ -part.T + np.diag((weight * part).sum(axis=1))
    statistic = float(excess @ np.linalg.pinv(spread[:-1, :-1]) @ excess)
    return statistic, float(gammaincc((len(there) - 1) / 2, statistic / 2))


def _counts(times: np.ndarray, of: np.ndarray) -> np.ndarray:
    return np.bincount(np.searchsorted(times, of), minlength=len(times))
