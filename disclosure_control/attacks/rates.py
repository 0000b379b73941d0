"""How well an attack did: its own rate, that of guessing, and that on people who are not in the release."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from disclosure_control.intervals import wilson_interval


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
        if not self.n:
            return None
        low, high = wilson_interval(self.n_hits, self.n)
        return min(low, self.rate), max(high, self.rate)  # rounding must not leave a rate of 0 or 1 outside

    def figures(self) -> dict:
        """As it stands in the JSON summary."""
        low, high = self.interval or (None, None)
        hits = int(self.n_hits) if float(self.n_hits).is_integer() else self.n_hits
        return {"hits": hits, "attacks": self.n, "rate": self.rate, "low": low, "high": high}

    def __str__(self) -> str:
        if not self.n:
            return "-"
        low, high = self.interval
        return f"{self.rate:.1%} ({low:.1%} to {high:.1%})"


@dataclass(frozen=True)
class AttackRates:
    """The three figures that only mean something together.

    ``attack``: on people who are in the release. ``baseline``: the same goal reached by guessing, without looking for
    the person. ``control``: the same attack on people who are not in the release, None where there are none; what
    succeeds there follows from the population and not from being in the release.
    """

    attack: Rate
    baseline: Rate
    control: Rate | None = None

    @property
    def beats_baseline(self) -> bool | None:
        """Whether the attack is above guessing by more than chance: its whole interval is. None without an attack."""
        if not self.attack.n or not self.baseline.n:
            return None
        return self.attack.interval[0] > self.baseline.rate

    @property
    def excess_rate(self) -> float | None:
        """How much of what guessing (or, where there is one, the control group) leaves the attack gains, at most 1.

        (attack - reference) / (1 - reference) with the larger of baseline and control as the reference, 0 where the
        attack is not above it; larger is riskier. Source: Giomi et al. 2023, doi:10.56553/popets-2023-0055, equation 1.
        """
        rates = [one.rate for one in (self.baseline, self.control) if one is not None and one.n]
        if not self.attack.n or not rates:
            return None
        reference = max(rates)
        return max(0.0, (self.attack.rate - reference) / (1 - reference)) if reference < 1 else 0.0

    def figures(self) -> dict:
        """As it stands in the JSON summary; no record and no subject in it."""
        return {
            "attack": self.attack.figures(),
            "baseline": self.baseline.figures(),
            "control": self.control.figures() if self.control is not None else None,
            "beats_baseline": self.beats_baseline,
            "excess_rate": self.excess_rate,
        }

    def row(self) -> list[str]:
        """Attack, baseline, control and verdict as cells of a table."""
        verdict = {True: "yes", False: "no", None: "-"}[self.beats_baseline]
        return [str(self.attack), str(self.baseline), "none" if self.control is None else str(self.control), verdict]
