"""How far records lie from the bulk of all records, whatever the outliers: the minimum covariance determinant.

Of all halves of the records the one whose covariance has the least determinant gives centre and shape; those near to it
give them anew. Sources: Rousseeuw and Van Driessen 1999, doi:10.1080/00401706.1999.10485670; Croux and Haesbroeck 1999,
doi:10.1006/jmva.1999.1839, for the factors by which normal data get their own covariance.
"""

from __future__ import annotations

import numpy as np

N_STARTS, N_FIRST_STEPS, N_KEPT, MOST_STEPS = 100, 2, 5, 50
MOST_AT_FIRST = 2_000  # records on which the starts are tried
NEAR = 0.975
RIDGE = 1e-10  # of the mean variance: a half that lies in a plane has a shape, too


def robust_distances(numbers: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Mahalanobis distance of each record (n,) from the bulk of ``numbers`` (n, n_columns) without missing values.

    From 0; for normal data its square is about chi squared with n_columns degrees of freedom. Zeros if there are too
    few records (fewer than two for each column and two more), or if no half of them has a shape.
    """
    from scipy.stats import chi2

    n, n_columns = numbers.shape
    if n < 2 * (n_columns + 1):
        return np.zeros(n)
    scale = np.subtract(*np.quantile(numbers, [0.75, 0.25], axis=0))
    deviation = numbers.std(axis=0)
    scale = np.where(scale > 0, scale, np.where(deviation > 0, deviation, 1.0))
    standard = (numbers - np.median(numbers, axis=0)) / scale
    n_half = (n + n_columns + 1) // 2
    half = _best_half(standard, n_half, generator)
    squares = _squared_distances(standard, half) / _consistency(n_half / n, n_columns)
    near = squares <= chi2.ppf(NEAR, n_columns)
    return np.sqrt(_squared_distances(standard, np.flatnonzero(near)) / _consistency(NEAR, n_columns))


def _consistency(share: float, n_columns: int) -> float:
    """By how much the covariance of the inner ``share`` of normal data is too small."""
    from scipy.stats import chi2

    return float(share / chi2.cdf(chi2.ppf(share, n_columns), n_columns + 2)) if share < 1 else 1.0


def _best_half(standard: np.ndarray, n_half: int, generator: np.random.Generator) -> np.ndarray:
    """Positions (n_half,) of the half of the least determinant that was found from random starts."""
    n, n_columns = standard.shape
    tried = standard
    if n > MOST_AT_FIRST:
        tried = standard[generator.choice(n, MOST_AT_FIRST, replace=False)]
    n_half_tried = int(np.ceil(n_half * len(tried) / n))
    found = []
    for _ in range(N_STARTS):
        half = generator.choice(len(tried), n_columns + 1, replace=False)
        for _ in range(N_FIRST_STEPS):
            half = _nearest(tried, tried[half], n_half_tried)
        found.append((_log_determinant(tried[half]), tried[half]))
    best = sorted(found, key=lambda one: one[0])[:N_KEPT]
    settled = [_settled(standard, start, n_half) for _, start in best]
    return min(settled, key=lambda half: _log_determinant(standard[half]))


def _settled(standard: np.ndarray, start: np.ndarray, n_half: int) -> np.ndarray:
    """The half to which steps from ``start`` lead: each has a smaller determinant than the one before."""
    half = _nearest(standard, start, n_half)
    for _ in range(MOST_STEPS):
        following = _nearest(standard, standard[half], n_half)
        if np.array_equal(following, half):
            break
        half = following
    return half


def _nearest(standard: np.ndarray, shape: np.ndarray, n_half: int) -> np.ndarray:
    squares = _squared(standard, shape.mean(axis=0), _covariance(shape))
    return np.sort(np.argsort(squares, kind="stable")[:n_half])


def _squared_distances(standard: np.ndarray, of: np.ndarray) -> np.ndarray:
    return _squared(standard, standard[of].mean(axis=0), _covariance(standard[of]))


def _squared(standard: np.ndarray, centre: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    apart = standard - centre
    return np.einsum("ij,ij->i", apart, np.linalg.solve(covariance, apart.T).T)


def _covariance(records: np.ndarray) -> np.ndarray:
    covariance = np.atleast_2d(np.cov(records, rowvar=False))
    return covariance + np.eye(len(covariance)) * (RIDGE * max(float(np.trace(covariance)) / len(covariance), RIDGE))


def _log_determinant(records: np.ndarray) -> float:
    return float(np.linalg.slogdet(_covariance(records))[1])
