"""Time until an event, by group: the curve of Kaplan and Meier with Greenwood's error, and the log-rank test."""

from __future__ import annotations

import numpy as np

from disclosure_control.study_tables.table import Cells


def kaplan_meier(time: np.ndarray, event: np.ndarray, group: np.ndarray, n_groups: int, at: np.ndarray) -> Cells:
    """The people at risk and the share of each group without the event until the times ``at`` (n_times,), inclusive.

    ``time`` (n_people,), ``event`` of bool, ``group`` (n_people,) whole numbers from 0. A share is NaN where nobody is
    at risk any more. Source: Kaplan and Meier 1958, doi:10.1080/01621459.1958.10501452; the error is Greenwood's.
    """
    shape = (len(at), n_groups)
    at_risk, share, error = np.zeros(shape, dtype=np.int64), np.full(shape, np.nan), np.full(shape, np.nan)
    for one in range(n_groups):
        own = group == one
        times, n_events = np.unique(time[own & event], return_counts=True)
        n_risk = _at_risk(time[own], times)
        with np.errstate(divide="ignore", invalid="ignore"):
            curve = np.cumprod(1 - n_events / n_risk)
            variance = np.cumsum(n_events / (n_risk * (n_risk - n_events)))
        place = np.searchsorted(times, at, side="right")
        at_risk[:, one] = _at_risk(time[own], at)
        value = np.append(1.0, curve)[place]
        # Where everybody had the event nothing is at risk, and the share of 0 has no error.
        spread = value * np.sqrt(np.where(value == 0, 0.0, np.append(0.0, variance)[place]))
        is_known = (at_risk[:, one] > 0) | (value == 0)
        share[:, one] = np.where(is_known, value, np.nan)
        error[:, one] = np.where(is_known, spread, np.nan)
    return Cells(at_risk, share, error)


def _at_risk(time: np.ndarray, times: np.ndarray) -> np.ndarray:
    """How many people were seen until each of the times (n_times,), by how long each was (n,)."""
    return len(time) - np.searchsorted(np.sort(time), times, side="left")


def log_rank(time: np.ndarray, event: np.ndarray, group: np.ndarray, n_groups: int) -> tuple[float, float]:
    """Chi-squared of the log-rank test of equal curves and its p-value; NaN where there is nothing to compare.

    Source: Mantel 1966; for several groups Peto and Peto 1972, doi:10.2307/2344317.
    """
    from scipy.special import gammaincc

    times = np.unique(time[event])
    there = [one for one in range(n_groups) if (group == one).any()]
    if len(there) < 2 or not len(times):
        return float("nan"), float("nan")
    own = [(time[group == one], time[event & (group == one)]) for one in there]
    n_events = np.stack([np.bincount(np.searchsorted(times, seen), minlength=len(times)) for _, seen in own])
    n_risk = np.stack([_at_risk(until, times) for until, _ in own])
    events, risk = n_events.sum(axis=0), n_risk.sum(axis=0)
    excess = (n_events - events * n_risk / risk).sum(axis=1)[:-1]
    weight = events * (risk - events) / np.maximum(risk - 1, 1)
    part = n_risk / risk
    spread = (weight * part) @ -part.T + np.diag((weight * part).sum(axis=1))
    statistic = float(excess @ np.linalg.pinv(spread[:-1, :-1]) @ excess)
    return statistic, float(gammaincc((len(there) - 1) / 2, statistic / 2))
