"""Which counts of people may be shared outside: each apart from every other published one.

Every published count differs by at least ``threshold`` from every other one, from zero, from all people and from their
complements, or is equal to it: then no difference of two of them is a small count.
"""

from __future__ import annotations

from disclosure_control.basics.telling.small_counts import SMALLEST_PRINTED_GROUP, ForOthers, Policy

STRICT = ForOthers(SMALLEST_PRINTED_GROUP, is_strict=True)


class ToldCounts:
    """The counts of ``n_people`` people that a page publishes, in the order of the requests."""

    def __init__(self, n_people: int, small_counts: Policy = STRICT):
        self.n_people, self.small_counts = n_people, small_counts
        self.told = {0, n_people}

    def tell(self, n: int | None, whole: int | None = None) -> int | None:
        """``n`` people out of ``whole``, by default everyone, as published; None where it is masked."""
        if n is None or self.n_people < self.small_counts.threshold or not 0 <= n <= self.n_people:
            return None
        whole = self.n_people if whole is None else whole
        given_away = {n, whole - n, self.n_people - n}
        if not all(self.small_counts.is_apart(count, self.told) for count in given_away):
            return None
        self.told |= given_away
        return n

    def tell_between(self, n: int | None, whole: int | None = None) -> int | None:
        """The same; but zero and all people are masked too, if they would disclose a masked neighbour."""
        return None if n in (0, whole, self.n_people) else self.tell(n, whole)

    def tell_rate(self, rate: float | None, n: int | None) -> float | None:
        """The published share of ``n`` people; None where its people are masked."""
        told = None if rate is None or n is None else self.tell_between(round(rate * n), n)
        return None if told is None or not n else told / n
