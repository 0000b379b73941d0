"""What of a run may leave the house, as plain figures: the shareable page is made of this and of nothing else.

A list of what is told, not of what is left out: a figure that nobody thought of here stays in the house. Every count of
people that is told is at least ``threshold`` away from every other one, from nobody, from everybody and from their
complements, or equal to it: then no difference of two of them is a small count. What such a count would give away is
masked. No sentence with figures, no extreme, no description of a class, and no line of the config leaves.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

from disclosure_control.basics.telling.small_counts import SmallCounts
from disclosure_control.report.page.class_sizes import many_divisions
from disclosure_control.report.page.what_if import ThresholdCurve

# Sections that ran and are not told: their sentences and figures are of few people, or of names of columns.
WITHHELD = ("identifiers", "release", "linkage_attack", "sweep", "fairness", "explore", "merge", "over_time")
STRICT = SmallCounts(is_strict=True)
Figures = dict[str, Any]


class ToldCounts:
    """The counts of people that a page tells of ``n_people``, first come, first told."""

    def __init__(self, n_people: int, small_counts: SmallCounts = STRICT):
        self.n_people, self.small_counts = n_people, small_counts
        self.told = {0, n_people}

    def tell(self, n: int | None, whole: int | None = None) -> int | None:
        """``n`` people out of ``whole``, by default everybody, as it may be told; None where it is masked."""
        if n is None or self.n_people < self.small_counts.threshold or not 0 <= n <= self.n_people:
            return None
        whole = self.n_people if whole is None else whole
        given_away = {n, whole - n, self.n_people - n}
        if not all(self.small_counts.is_apart(count, self.told) for count in given_away):
            return None
        self.told |= given_away
        return n

    def tell_between(self, n: int | None, whole: int | None = None) -> int | None:
        """The same; but nobody and everybody are masked too, where with these a masked neighbour would be known."""
        return None if n in (0, whole, self.n_people) else self.tell(n, whole)


def shareable_content(
    summary: Mapping[str, Any], curves: Sequence[ThresholdCurve]
) -> tuple[Figures, list[ThresholdCurve]]:
    """The summary and the curves of a run as they may leave the house.

    ``curves`` are the exact ones, ``coarse``. Where the pilot has fewer people than ``threshold``, nothing is told.
    """
    total = summary["k_anonymity"]["total"]
    counts = ToldCounts(total)
    told: Figures = {
        "pilot": summary["pilot"],
        "version": summary["version"],
        "masked": f"Counts of fewer than {STRICT.threshold} people, and what would give them away, are masked.",
        "notices": [],
        "k_anonymity": _k_anonymity(summary["k_anonymity"], counts),
        "l_diversity": {name: _model(one, counts) for name, one in summary["l_diversity"].items()},
        "t_closeness": {name: _model(one, counts) for name, one in summary["t_closeness"].items()},
        "missing_qis": summary["missing_qis"],
    }
    told["missing_policies"] = {
        name: _k_anonymity({"threshold": summary["k_anonymity"]["threshold"], **one}, counts)
        for name, one in summary["missing_policies"].items()
    }
    if "verdict" in summary:
        verdict = summary["verdict"]
        told["verdict"] = {"verdict": verdict["verdict"], "about": verdict["about"], "reasons": []}
    told["withheld"] = [key for key in ("merge", "over_time", *summary) if key in WITHHELD]
    for key, share in _SHARED.items():
        if key in summary:
            told[key] = share(summary[key], told, counts)
    if "private_release" in summary:
        told["private_release"] = summary["private_release"]  # noise hides whoever is in it
    return told, [_curve(curve, told, counts) for curve in curves]


def _k_anonymity(figures: Mapping[str, Any], counts: ToldCounts) -> Figures:
    """The same of k; where those at risk, or the others, divide into classes in few ways, they are masked."""
    k, risky, evaluated = (figures[name] for name in ("threshold", "risky", "evaluated"))
    is_open = many_divisions({k: risky}, evaluated, STRICT) != {}
    return _model(figures if is_open else {**figures, "risky": None}, counts)


def _model(figures: Mapping[str, Any], counts: ToldCounts) -> Figures:
    """Counts and share of a model, without the extreme."""
    total = counts.tell(counts.n_people)
    evaluated = None if total is None else counts.tell(figures["evaluated"])
    risky = None if evaluated is None else counts.tell(figures["risky"], evaluated)
    return {
        "threshold": figures.get("threshold"),
        "total": total,
        "evaluated": evaluated,
        "not_evaluated": None if total is None or evaluated is None else total - evaluated,
        "risky": risky,
        "risky_rate": None if risky is None or not evaluated else risky / evaluated,
    }


def _curve(curve: ThresholdCurve, told: Figures, counts: ToldCounts) -> ThresholdCurve:
    figures = told["k_anonymity"] if curve.sensitive is None else told[curve.model][curve.sensitive]
    evaluated, in_use = figures["evaluated"], figures["risky"]
    if evaluated is None:
        return dataclasses.replace(curve, evaluated=None, risky=(None,) * len(curve.risky))
    risky = [
        in_use if at == curve.in_use else counts.tell_between(n, evaluated)
        for at, n in zip(curve.thresholds, curve.risky, strict=True)
    ]
    if curve.model == "k_anonymity":
        told_numbers = {int(k): n for k, n in zip(curve.thresholds, risky, strict=True) if n is not None}
        open_ones = many_divisions(told_numbers, evaluated, STRICT, kept=[int(curve.in_use)])
        risky = [open_ones.get(int(k)) for k in curve.thresholds]
    is_rising = curve.model != "t_closeness"
    risky = _with_what_follows(risky if is_rising else risky[::-1], evaluated)
    return dataclasses.replace(curve, evaluated=evaluated, risky=tuple(risky if is_rising else risky[::-1]))


def _with_what_follows(rising: Sequence[int | None], most: int) -> list[int | None]:
    """Rising counts with those filled in that are between two equal ones: they are known all the same."""
    low = list(itertools.accumulate((0 if n is None else n for n in rising), max))
    high = list(itertools.accumulate((most if n is None else n for n in reversed(rising)), min))[::-1]
    return [one if one == other else None for one, other in zip(low, high, strict=True)]


# ---------------------------------------------------------------- by step


def _risk(figures: Mapping[str, Any], told: Figures, counts: ToldCounts) -> Figures:
    risky = told["k_anonymity"]["risky"]
    groups = figures.get("by_group", {}) if risky is not None else {}
    return {
        "by_group": {name: shown for name, rows in groups.items() if (shown := _groups(rows, counts)) is not None},
        "key_sets": [_key_set(one, counts) for one in figures.get("key_sets", [])],
        "determined_by": {},
        "attribute_effects": [],
    }


def _groups(rows: Sequence[Mapping[str, Any]], counts: ToldCounts) -> list[Figures] | None:
    """The groups of a column, each number masked that is near another one of the page.

    None where even so those that are masked, taken together from everybody evaluated, would be such a number.
    """
    told = [_group(row, counts) for row in rows]
    for name in ("people", "risky"):
        masked = [row.get(name) for row, one in zip(rows, told, strict=True) if one.get(name) is None]
        if None not in masked and counts.tell(sum(n for n in masked if n is not None)) is None:
            return None
    return told


def _group(row: Mapping[str, Any], counts: ToldCounts) -> Figures:
    people = counts.tell(row.get("people"))
    risky = None if people is None else counts.tell(row["risky"], people)
    if "people" not in row or risky is not None:
        return dict(row)
    return {**row, "people": people, "risky": None, "risky_rate": None, "low": None, "high": None}


def _key_set(figures: Mapping[str, Any], counts: ToldCounts) -> Figures:
    evaluated, rate = counts.tell(figures["evaluated"]), figures["unique_rate"]
    unique = None
    if evaluated is not None and rate is not None:
        unique = counts.tell_between(round(rate * evaluated), evaluated)
    return {
        "quasi_identifiers": figures["quasi_identifiers"],
        "evaluated": evaluated,
        "unique_rate": None if unique is None or not evaluated else unique / evaluated,
        "median_k": None,
    }


def _recommend(figures: Mapping[str, Any], told: Figures, counts: ToldCounts) -> Figures:
    evaluated = told["k_anonymity"]["evaluated"]
    places = [] if evaluated is None else figures["landscape"]["places"]
    return {
        **{key: figures[key] for key in ("metric", "optimal", "lattice_size", "suppression_limit")},
        "records": told["k_anonymity"]["total"],
        "at_risk": None,
        "landscape": {
            **figures["landscape"],
            "places": [
                [levels, _coarse(loss, counts), counts.tell_between(n, evaluated)] for levels, loss, n in places
            ],
        },
        "short_list": [
            {
                **{key: answer[key] for key in ("titles", "words", "levels", "holds", "optimal")},
                "suppressed": None if evaluated is None else counts.tell(answer["suppressed"]),
                "loss": None,
                "treatment": [],
            }
            for answer in figures["short_list"]
        ],
    }


def _coarse(loss: float, counts: ToldCounts) -> float:
    """A loss in steps as large as what ``threshold`` people weigh: no small count can be read from its digits."""
    weight = max(0.01, counts.small_counts.threshold / counts.n_people)
    step = 10 ** math.ceil(math.log10(weight))
    return min(1.0, float(f"{round(loss / step) * step:.12g}"))


def _treatment(figures: Mapping[str, Any], told: Figures, counts: ToldCounts) -> Figures:
    if "before" not in figures:
        return {"reason": "Nothing was treated."}
    return {
        **{view: _view(figures[view], counts) for view in ("before", "after", "as_released")},
        "records_removed": counts.tell(figures["records_removed"]),
        "steps": [{"method": step["method"], "changed": {}} for step in figures["steps"]],
        "notes": [],
    }


def _view(figures: Mapping[str, Any], counts: ToldCounts) -> Figures:
    evaluated = counts.tell(figures["k_anonymity"]["evaluated"])
    unique = None
    if evaluated is not None and figures["unique_rate"] is not None:
        unique = counts.tell_between(round(figures["unique_rate"] * evaluated), evaluated)
    return {
        "records": counts.tell(figures["records"]),
        "k_anonymity": _k_anonymity(figures["k_anonymity"], counts),
        "l_diversity": {name: _model(one, counts) for name, one in figures["l_diversity"].items()},
        "t_closeness": {name: _model(one, counts) for name, one in figures["t_closeness"].items()},
        "unique_rate": None if unique is None or not evaluated else unique / evaluated,
        "prosecutor_highest_risk": None,
    }


_SHARED = {"risk": _risk, "recommend": _recommend, "treatment": _treatment}
