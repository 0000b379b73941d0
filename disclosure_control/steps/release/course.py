"""What the courses of people tell: who is alone in the package by a few facts that outsiders may know; the words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from disclosure_control.basics.telling.reasons import Gravity, Reason
from disclosure_control.basics.telling.sections import Part, Sentence, Style, Table
from disclosure_control.basics.telling.small_counts import HAND_TO_HAND, count_text, people_on_screen
from disclosure_control.basics.telling.words import counted, listed, share_text
from disclosure_control.measures.longitudinal import AloneByFacts, AverageRisk, alone_by_facts, average_risk
from disclosure_control.release.facts import facts_known
from disclosure_control.release.rare_terms import RaisedTerms, RareTerms
from disclosure_control.steps.release.settings import OutsidersKnow
from study.merge.subject_ids import SubjectIdRule

SEED = 0  # sets are drawn in studies too large to count them all; the same ones in every run
KIND_WORDS = {"terms": "coded terms of events and treatments", "visits": "the number of visits", "death": "a death"}


@dataclass(frozen=True)
class CourseRisk:
    """The longitudinal risk of a package: per number of facts who is alone, without and with the month of each term.

    ``known`` is what the config says of outsiders, ``rare_terms`` what it says of these. ``below_k`` counts people of
    whom fewer than K have the same facts. ``holders``: people with a fact of each kind.
    """

    n_people: int
    k: int
    known: OutsidersKnow
    holders: Mapping[str, int]
    alone: tuple[AloneByFacts, ...]
    alone_with_months: tuple[AloneByFacts, ...]
    below_k: tuple[AloneByFacts, ...]
    average: tuple[AverageRisk, ...]
    average_with_months: tuple[AverageRisk, ...]
    rare_terms: RareTerms | None = None


def course_risk(
    opened: Mapping[str, pd.DataFrame],
    subjects: pd.Series,
    classes: np.ndarray,
    k: int,
    rule: SubjectIdRule,
    known: OutsidersKnow,
    rare_terms: RareTerms | None = None,
) -> CourseRisk:
    """The longitudinal risk of files as they were ``opened``; ``subjects`` and ``classes`` (n_people,) of the merge."""
    without, with_months = facts_known(opened, subjects, rule, known.kinds)
    return CourseRisk(
        n_people=len(subjects),
        k=k,
        known=known,
        rare_terms=rare_terms,
        holders=without.holders,
        alone=alone_by_facts(classes, without.people, without.facts),
        alone_with_months=alone_by_facts(classes, with_months.people, with_months.facts),
        below_k=alone_by_facts(classes, without.people, without.facts, k),
        average=average_risk(classes, without.people, without.facts, np.random.default_rng(SEED)),
        average_with_months=average_risk(classes, with_months.people, with_months.facts, np.random.default_rng(SEED)),
    )


def course_figures(course: CourseRisk) -> dict[str, Any]:
    """The figures under ``longitudinal``: counts of few people are null, and rates to three digits where they are."""
    told, with_fact = _told(course), _told_with_fact(course)
    return {
        "people": course.n_people,
        "known": list(course.known.kinds),
        "people_with": {kind: with_fact[kind] for kind, n in course.holders.items() if n},
        **{
            name: [{"facts": one.size, "people": n, "is_all": one.is_complete} for one, n in zip(found, told[name])]  # noqa: B905
            for name, found in _found(course).items()
        },
        "average_risk": _rates(course.average),
        "average_risk_with_months": _rates(course.average_with_months),
    }


def _found(course: CourseRisk) -> dict[str, tuple[AloneByFacts, ...]]:
    """Who is found by how many facts, by the name of the figure."""
    below = f"fewer_than_{course.k}"
    return {"alone": course.alone, "alone_with_months": course.alone_with_months, below: course.below_k}


def _in_verdict(course: CourseRisk) -> tuple[str, int]:
    """The figure that the verdict asks, and its place."""
    return "alone_with_months" if course.known.months else "alone", course.known.facts


def _told_with_fact(course: CourseRisk) -> dict[str, int | None]:
    return {kind: HAND_TO_HAND.told(n, course.n_people) for kind, n in course.holders.items()}


def _told(course: CourseRisk) -> dict[str, list[int | None]]:
    """Of each figure the counts as a file may tell them beside all that are told: they lie within each other.

    The verdict's is asked first, so that it is told where any is. Those by no fact are totals of the pilot, which k
    tells: the others stand beside them in any case.
    """
    found = _found(course)
    told = {name: [HAND_TO_HAND.told(one.n_alone, course.n_people) for one in counts] for name, counts in found.items()}
    beside = [course.n_people, *(n for n in _told_with_fact(course).values() if n is not None)]
    beside += [counts[0].n_alone for counts in found.values()]
    places = [(name, place) for name, counts in found.items() for place in range(1, len(counts))]
    for name, place in sorted(places, key=lambda one: one != _in_verdict(course)):
        told[name][place] = n = HAND_TO_HAND.told(found[name][place].n_alone, *beside)
        beside += [] if n is None else [n]
    return told


def _rates(found: Sequence[AverageRisk]) -> list[dict[str, Any]]:
    return [
        {"facts": one.size, "rate": round(one.rate, 3), "standard_error": round(one.standard_error, 4)} for one in found
    ]


def course_parts(figures: Mapping[str, Any]) -> Iterator[Part]:
    """What may be known, and who is alone by how many facts."""
    below = next(name for name in figures if name.startswith("fewer_than_"))
    rows = [
        [
            size,
            *(_people(figures[name][size]) for name in ("alone", "alone_with_months", below)),
            *_rate_pair(figures, size),
        ]
        for size in range(len(figures["alone"]))
    ]
    words = below.replace("_", " ").capitalize()
    heads = ["Facts", "Alone", "with months", words, "On average", "with months"]
    partial = any(not one["is_all"] for name in ("alone", "alone_with_months", below) for one in figures[name])
    title = f"What rows tell on top of the quasi-identifiers: {people_known(figures['known'])}"
    yield Table(title, heads, rows, range(1, 6))
    least = " At least: sets of common facts alone were too many to look at." if partial else ""
    yield Sentence(
        f"Of {figures['people']} people, those alone in their class by up to so many facts that somebody may know. On "
        "average: the chance to find a person by so many of the person's facts, drawn at random. Months are those of "
        f"the study. That somebody had no such event is not counted as known.{least}",
        Style.SMALL,
    )


def people_known(kinds: Sequence[str]) -> str:
    """What outsiders may know, in words."""
    return listed(KIND_WORDS[kind] for kind in kinds)


def _people(one: Mapping[str, Any]) -> str:
    least = "" if one["is_all"] or one["people"] is None else "at least "
    return f"{least}{count_text(one['people'])}"


def _rate_pair(figures: Mapping[str, Any], size: int) -> list[str]:
    rates = [figures[name] for name in ("average_risk", "average_risk_with_months")]
    return [share_text(one[size]["rate"]) if len(one) > size else "-" for one in rates]


def reasons_of_course(course: CourseRisk) -> list[Reason]:
    """A reason where more people are alone by the facts that the config reckons with than it accepts."""
    known = course.known
    name, place = _in_verdict(course)
    if not known.facts or _found(course)[name][place].n_alone <= known.alone_at_most * course.n_people:
        return []
    facts = f"up to {known.facts} things" if known.facts > 1 else "one thing"
    months = ", with their months" if known.months else ""
    n_alone = people_on_screen(_told(course)[name][place])
    return [
        Reason(
            Gravity.OUTSIDERS_CAN_SINGLE_OUT,
            f"Of {course.n_people} people in it {n_alone} are alone by {facts} that an "
            f"acquaintance may know ({people_known(known.kinds)}{months}), on top of the quasi-identifiers.",
            _remedy(course),
        )
    ]


def _remedy(course: CourseRisk) -> str:
    """Rare terms within classes, unless the config has them; then it is for the controller to say what is known."""
    least = max(course.k, 2)
    say = '"outsiders_know": what outsiders know, and how many alone you accept (docs/release.md)'
    rare = course.rare_terms
    if rare is not None and rare.within_class and rare.at_least >= least:
        return f'"release": {{{say}}}'
    return f'"release": {{"rare_terms": {{"at_least": {least}, "within": "class"}}}}, or {say}'


# ---------------------------------------------------------------- rare terms


def raised_figures(raised: Sequence[RaisedTerms]) -> list[dict[str, Any]]:
    """What became of rare terms, by domain, in counts of rows."""
    return [
        {
            "domain": one.domain,
            "rows": one.n_rows,
            "rows_raised": dict(one.rows_raised),
            "rows_gone": one.rows_gone,
            "related_rows_gone": one.related_gone,
            "loss": round(one.loss, 4),
        }
        for one in raised
    ]


def raised_parts(figures: Sequence[Mapping[str, Any]]) -> Iterator[Part]:
    """Rare terms: raised to what, removed, and what was lost."""
    if figures:
        yield Sentence("Rare terms", Style.HEADING)
    for one in figures:
        raised = [f"{counted(n, 'record')} raised to {column}" for column, n in one["rows_raised"].items()]
        related = f" with {counted(one['related_rows_gone'], 'related record')}" if one["related_rows_gone"] else ""
        gone = [f"{counted(one['rows_gone'], 'record')} removed{related}"] if one["rows_gone"] else []
        what = listed(raised + gone) or "no term was rare"
        yield Sentence(f"{one['domain']}, {counted(one['rows'], 'record')}: {what}; {share_text(one['loss'])} lost.")
