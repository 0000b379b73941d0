"""An attacker who solves for what is masked: unknown counts of people, and the sums of them that were told."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array


class Told:
    """Counts of people by any name, none of them negative, and what was told of them."""

    def __init__(self) -> None:
        self.place: dict[Hashable, int] = {}
        self.sums: list[tuple[dict[Hashable, float], float, float]] = []
        self._made: tuple[csr_array, np.ndarray] | None = None

    def count(self, *names: Hashable) -> None:
        """There are such counts, whatever they are."""
        self._made = None
        for name in names:
            self.place.setdefault(name, len(self.place))

    def tell(self, names: Iterable[Hashable], low: float, high: float | None = None) -> None:
        """The counts of these names are together ``low``, or between ``low`` and ``high``."""
        weights: dict[Hashable, float] = {}
        for name in names:
            weights[name] = weights.get(name, 0.0) + 1.0
        self.count(*weights)
        self.sums.append((weights, low, low if high is None else high))

    def same(self, names: Iterable[Hashable], others: Iterable[Hashable]) -> None:
        """The counts of these names are together as many as those of the others."""
        weights = dict.fromkeys(names, 1.0) | dict.fromkeys(others, -1.0)
        self.count(*weights)
        self.sums.append((weights, 0.0, 0.0))

    def interval(self, names: Iterable[Hashable]) -> tuple[float, float]:
        """Between what and what the sum of the counts of these names lies, by all that was told."""
        goal = np.zeros(len(self.place))
        goal[[self.place[name] for name in names]] = 1.0
        ends = []
        for sign in (1, -1):
            found = linprog(sign * goal, *self._limits(), bounds=(0, None), method="highs")
            assert found.status == 0, found.message  # what was told has to be true of the people
            ends.append(sign * found.fun)
        return ends[0], ends[1]

    def _limits(self) -> tuple[csr_array, np.ndarray]:
        """The sums as rows (n_limits, n_counts) that are at most a limit (n_limits,); made once for all questions."""
        if self._made is None:
            signed = [
                (weights, sign, limit)
                for weights, low, high in self.sums
                for sign, limit in ((1, high), (-1, -low))
                if np.isfinite(limit)
            ]
            cells = [
                (row, self.place[name], sign * weight)
                for row, (weights, sign, _) in enumerate(signed)
                for name, weight in weights.items()
            ]
            rows, places, weights = zip(*cells, strict=True)
            shape = (len(signed), len(self.place))
            self._made = csr_array((weights, (rows, places)), shape), np.array([limit for *_, limit in signed])
        return self._made

    def width(self, names: Iterable[Hashable]) -> float:
        names = list(names)
        low, high = self.interval(names)
        return high - low
