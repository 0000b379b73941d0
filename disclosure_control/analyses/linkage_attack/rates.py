"""How well an attack did: its own rate, that of guessing, and that on people who are not in the release."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

from disclosure_control.basics.telling.confidence_intervals import wilson_interval
from disclosure_control.basics.telling.small_counts import MASKED_CELL, Policy
from disclosure_control.basics.telling.words import interval_text, share_text

SIGNIFICANCE = 0.05  # of the statement that an attack beats guessing, one-sided
FEWEST_ATTACKS = 10  # with fewer of them no verdict
ROUNDING = 1e-9


@dataclass(frozen=True)
class Rate:
    """``n_hits`` of ``n`` attacks succeed; a fraction of a hit is a chance, such as 1/3 for one guess among three.

    ``is_told``: whether its reader sees the hits: few hits of people, or all but few, are masked.
    """

    n_hits: float
    n: int
    is_told: bool = True

    def told(self, policy: Policy) -> Rate:
        """The same as a reader may see it."""
        return replace(self, is_told=policy.told(math.ceil(self.n_hits), self.n) is not None)

    @property
    def rate(self) -> float | None:
        """In [0, 1], larger is riskier; None without an attack."""
        return self.n_hits / self.n if self.n else None

    @cached_property
    def interval(self) -> tuple[float, float] | None:
        """Wilson's 95 % interval of the rate; None without an attack."""
        return wilson_interval(self.n_hits, self.n) if self.n else None

    @property
    def share(self) -> str:
        """The rate with its interval, as a report prints it."""
        if not self.is_told:
            return MASKED_CELL
        return f"{share_text(self.rate)} ({interval_text(*self.interval)})" if self.interval else "-"

    def cells(self) -> list[str]:
        """How many succeed, and the share."""
        return [f"{self.hits_text} of {self.n:,}", self.share]

    def in_summary(self) -> dict[str, object]:
        """The rate as in the JSON summary."""
        found = (self._hits, self.rate, *(self.interval or (None, None))) if self.is_told else (None,) * 4
        hits, rate, low, high = found
        return {"hits": hits, "attacks": self.n, "rate": rate, "low": low, "high": high}

    @property
    def hits_text(self) -> str:
        """How many succeed."""
        return f"{self._hits:,}" if self.is_told else MASKED_CELL

    @property
    def _hits(self) -> float:
        return int(self.n_hits) if float(self.n_hits).is_integer() else self.n_hits


@dataclass(frozen=True)
class AttackRates:
    """Three figures that must be read together.

    ``attack``: on people who are in the release. ``baseline``: the chance to reach the same by guessing, without
    looking for the person. ``control``: the same attack on people who are not in the release, None if there are none;
    its success follows from the population and not from being in the release.

    ``n_unread`` attacks failed because released values could not be compared with what is known of the person: the
    result of a reader who understands them is unknown.
    """

    attack: Rate
    baseline: Rate
    control: Rate | None = None
    n_unread: int = 0

    @property
    def p_value(self) -> float | None:
        """The chance of a success at least as large if the attack were no better than guessing; in [0, 1].

        The exact binomial test, one-sided; a fraction of a hit is rounded to the disadvantage of the attack. None with
        fewer than ``FEWEST_ATTACKS`` attacks.
        """
        return self._p_value(self.attack.n_hits)

    def _p_value(self, n_hits: float) -> float | None:
        from scipy.stats import binom

        if self.baseline.rate is None or self.attack.n < FEWEST_ATTACKS:
            return None
        return float(binom.sf(math.floor(n_hits + ROUNDING) - 1, self.attack.n, min(self.baseline.rate, 1.0)))

    @property
    def beats_baseline(self) -> bool | None:
        """Whether the attack beats guessing by more than chance, see ``p_value``; None if unknown.

        Also None if an attack does not beat it, but would if those that could not be read had succeeded.
        """
        at_best = self._p_value(min(self.attack.n, self.attack.n_hits + self.n_unread))
        if self.p_value is None or at_best is None:
            return None
        beats = self.p_value < SIGNIFICANCE
        return beats if beats == (at_best < SIGNIFICANCE) else None

    def told(self, policy: Policy) -> AttackRates:
        """The same as a reader may see them; the baseline, a chance that is calculated, is no count of people."""
        control = self.control and self.control.told(policy)
        return replace(self, attack=self.attack.told(policy), control=control)

    def cells(self) -> list[str]:
        """Right, share, guessing, control group, and whether it beats guessing."""
        verdict = {True: "yes", False: "no", None: "-"}[self.beats_baseline]
        return [*self.attack.cells(), self.baseline.share, self.control.share if self.control else "none", verdict]

    def in_summary(self) -> dict[str, object]:
        """The rates as in the JSON summary; no record and no subject in it."""
        return {
            "attack": self.attack,
            "baseline": self.baseline,
            "control": self.control,
            "beats_baseline": self.beats_baseline,
            "unread": self.n_unread if self.attack.is_told else None,
            "p_value": self.p_value if self.attack.is_told else None,  # the hits follow from it
        }
