"""How well an attack did: its own rate, that of guessing, and that on people who are not in the release."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

from disclosure_control.basics.telling.confidence_intervals import wilson_interval
from disclosure_control.basics.telling.small_counts import MASKED, MASKED_CELL
from disclosure_control.basics.telling.words import interval_text, share_text

SIGNIFICANCE = 0.05  # of the statement that an attack beats guessing, one-sided
FEWEST_ATTACKS = 10  # with fewer of them no verdict
ROUNDING = 1e-9


@dataclass(frozen=True)
class Rate:
    """``n_hits`` of ``n`` attacks succeed; a fraction of a hit is a chance, such as 1/3 for one guess among three."""

    n_hits: float
    n: int

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
        return f"{share_text(self.rate)} ({interval_text(*self.interval)})" if self.interval else "-"

    def cells(self) -> list[str]:
        """How many succeed, and the share."""
        return [f"{self.hits_text} of {self.n:,}", self.share]

    def in_summary(self) -> dict[str, object]:
        """The rate as in the JSON summary."""
        low, high = self.interval or (None, None)
        return {"hits": self._hits, "attacks": self.n, "rate": self.rate, "low": low, "high": high}

    @property
    def hits_text(self) -> str:
        """How many succeed."""
        return f"{self._hits:,}"

    @property
    def _hits(self) -> float:
        return int(self.n_hits) if float(self.n_hits).is_integer() else self.n_hits


@dataclass(frozen=True)
class MaskedRate(Rate):
    """A rate as it leaves the controller: few hits of people, or all but few, are masked."""

    @property
    def share(self) -> str:
        return MASKED_CELL if self._is_masked else super().share

    @property
    def hits_text(self) -> str:
        return MASKED_CELL if self._is_masked else super().hits_text

    @property
    def _is_masked(self) -> bool:
        n_hits = math.ceil(self.n_hits)
        return MASKED.told(n_hits, self.n) is None


@dataclass(frozen=True)
class AttackRates:
    """Three figures that must be read together.

    ``attack``: on people who are in the release. ``baseline``: the same goal reached by guessing, without looking for
    the person. ``control``: the same attack on people who are not in the release, None if there are none; its success
    follows from the population and not from being in the release.

    ``baseline_is_known``: the chance of a guess is calculated and not counted.

    ``n_unread`` attacks failed because released values could not be compared with what is known of the person: the
    result of a reader who understands them is unknown. ``unread`` are the columns without any readable value. This is
    the best of ``n_tries`` attacks: the chance that one of them succeeds is that many times as large.
    """

    attack: Rate
    baseline: Rate
    control: Rate | None = None
    baseline_is_known: bool = False
    n_unread: float = 0
    unread: tuple[str, ...] = ()
    n_tries: int = 1

    @property
    def p_value(self) -> float | None:
        """The chance of a success at least as large if the attack were no better than guessing; in [0, 1].

        Times ``n_tries``. None if unknown: fewer than ``FEWEST_ATTACKS`` attacks or guesses. Fractions of a hit are
        rounded to the disadvantage of the attack.
        """
        if min(self.attack.n, self.baseline.n) < FEWEST_ATTACKS:
            return None
        if self.baseline_is_known and self.baseline.rate is not None:
            chance = binomial_p_value(self.attack, self.baseline.rate)
        else:
            chance = fisher_p_value(self.attack, self.baseline)
        return min(1.0, self.n_tries * chance)

    @property
    def beats_baseline(self) -> bool | None:
        """Whether the attack beats guessing by more than chance, see ``p_value``; None if unknown.

        Also None if an attack does not beat it, but would if those that could not be read had succeeded.
        """
        if self.p_value is None or (self.p_value >= SIGNIFICANCE and self._may_be_above):
            return None
        return self.p_value < SIGNIFICANCE

    @property
    def _may_be_above(self) -> bool:
        """Whether the attack would beat guessing if every attack that could not be read had succeeded."""
        if not self.n_unread:
            return False
        at_best = Rate(min(self.attack.n, self.attack.n_hits + self.n_unread), self.attack.n)
        return bool(replace(self, attack=at_best, n_unread=0).beats_baseline)

    def notes(self, attack: str) -> list[str]:
        """Notes on values that could not be read, and on the verdict that is missing for it."""
        if not self.n_unread:
            return []
        columns = f" ({', '.join(self.unread)})" if self.unread else ""
        fate = "no verdict" if self.beats_baseline is None else "they count as not found"
        return [
            f"{attack}: in {int(self.n_unread)} of {self.attack.n} attacks what is released could not be read as what "
            f"is known of the person{columns}; {fate}."
        ]

    @property
    def excess_rate(self) -> float | None:
        """How much of what guessing (or, where there is one, the control group) leaves the attack gains, at most 1.

        (attack - reference) / (1 - reference), the smaller of both where there are two references; 0 where the
        attack is not above it; larger is riskier. None where there is nothing fair to compare with. Source: Giomi et
        al. 2023, doi:10.56553/popets-2023-0055, equation 1.
        """
        pairs = [(self.attack, self.baseline)]
        if self.control is not None:
            pairs.append((self.attack, self.control))
        gains = [
            (attack - reference) / (1 - reference) if reference < 1 else 0.0
            for attack, reference in ((one.rate, other.rate) for one, other in pairs)
            if attack is not None and reference is not None
        ]
        return max(0.0, min(gains)) if gains else None

    def masked(self) -> AttackRates:
        """The same as they leave the controller; a chance that is calculated is no count of people."""

        def told(rate: Rate) -> Rate:
            return MaskedRate(rate.n_hits, rate.n)

        return replace(
            self,
            attack=told(self.attack),
            baseline=self.baseline if self.baseline_is_known else told(self.baseline),
            control=self.control and told(self.control),
        )

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
            "unread": int(self.n_unread),
            "p_value": self.p_value,
            "excess_rate": self.excess_rate,
        }


def binomial_p_value(attack: Rate, chance: float) -> float:
    """Chance of at least so many hits if each attack succeeds by ``chance``: the exact binomial test, one-sided."""
    from scipy.stats import binom

    return float(binom.sf(math.floor(attack.n_hits + ROUNDING) - 1, attack.n, min(chance, 1.0)))


def fisher_p_value(attack: Rate, reference: Rate) -> float:
    """Chance of at least so many of all the hits on the side of the attack, one-sided. Source: Fisher 1935."""
    from scipy.stats import hypergeom

    mine, theirs = math.floor(attack.n_hits + ROUNDING), math.ceil(reference.n_hits - ROUNDING)
    return float(hypergeom.sf(mine - 1, attack.n + reference.n, mine + theirs, attack.n))
