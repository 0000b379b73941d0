"""The longitudinal risk: who is alone in the package by a few facts that outsiders may know; and its words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from disclosure_control.basics.settings.changes import ConfigChange
from disclosure_control.basics.telling.plain import INLINE
from disclosure_control.basics.telling.reasons import Gravity, Reason
from disclosure_control.basics.telling.sections import Details, Part, Sentence, Style, Table
from disclosure_control.basics.telling.small_counts import Policy, count_in_sentence, count_text
from disclosure_control.basics.telling.words import capitalised, listed
from disclosure_control.measures.longitudinal import AloneByFacts, alone_by_facts
from disclosure_control.release.facts.facts import (
    KINDS,
    OF_KEPT_NUMBERS,
    Facts,
    facts_known,
    usual_kinds,
    variables_that_tell,
)
from disclosure_control.release.facts.opened_rows import RowsOfTable
from disclosure_control.release.settings import OutsidersKnow
from disclosure_control.release.terms.rare_terms import RareTerms
from disclosure_control.steps.release.coarser import FewerColumns, entries_of, fewer_columns, n_alone_by_one
from study.merge.subject_ids import SubjectIdRule
from study.models.coded_terms import term_ladders
from study.models.disposition import are_dispositions
from study.models.study_model import StudyModel

NO_COLUMNS = "not counted, because no table has columns for it"
NOT_ASKED = 'not looked at, because "outsiders_know" does not name it'


@dataclass(frozen=True)
class CourseRisk:
    """The longitudinal risk of a package: per number of facts who is alone, without and with the month of each term.

    ``told_by``: the variables that tell a kind of fact by which alone somebody is found, as a config names them.
    ``known`` and ``rare_terms`` are the config's settings of the same names, ``known`` with the kinds that were
    counted, ``not_counted`` the others, each with the reason. ``fewer``: which quasi-identifiers have to go so that
    nobody is alone by one fact; None if that was not looked for. ``alone_by_kind``: the kinds of facts by which
    somebody is alone even without any. ``may_keep``: domains and kinds of facts that can stay if some people lose
    their quasi-identifiers; ``alone_in_class``: the kinds by which somebody is alone in a class, and for which people
    can lose them. ``below_k`` counts people of whom fewer than K have the same facts. ``holders``: people with a fact
    of each kind.
    """

    n_people: int
    k: int
    known: OutsidersKnow
    holders: Mapping[str, int]
    alone: tuple[AloneByFacts, ...]
    alone_with_months: tuple[AloneByFacts, ...]
    below_k: tuple[AloneByFacts, ...]
    rare_terms: RareTerms | None = None
    not_counted: Mapping[str, str] = field(default_factory=dict)
    told_by: Mapping[str, Sequence[str]] = field(default_factory=dict)
    fewer: FewerColumns | None = None
    alone_by_kind: Sequence[str] = ()
    may_keep: Sequence[str] = ()
    alone_in_class: Sequence[str] = ()

    @property
    def is_counted(self) -> bool:
        """Whether there are facts of any kind that could be counted."""
        return bool(self.known.kinds) or not self.not_counted


def course_risk(
    opened: Mapping[str, RowsOfTable],
    subjects: pd.Series,
    classes: np.ndarray,
    k: int,
    rule: SubjectIdRule,
    known: OutsidersKnow,
    model: StudyModel,
    rare_terms: RareTerms | None = None,
    columns: Mapping[str, np.ndarray] | None = None,
) -> CourseRisk:
    """The longitudinal risk of the ``opened`` files; ``subjects`` and ``classes`` (n_people,) are the merge's.

    ``columns`` are codes of the quasi-identifiers (n_people,), of which some may have to go.
    """
    asked = known.kinds or usual_kinds(model)
    without, with_months = facts_known(opened, subjects, rule, asked, model)
    counted = tuple(kind for kind in asked if kind in without.holders)
    alone = alone_by_facts(classes, without.people, without.facts)
    told_by = {}
    can_leave = [kind for kind in counted if KINDS[kind].told_by is not None and without.holders[kind]]
    for kind in can_leave if alone[1].n_alone > alone[0].n_alone else ():
        of_kind = without.of_kind(kind)
        if alone_by_facts(classes, without.people[of_kind], without.facts[of_kind])[1].n_alone > alone[0].n_alone:
            told_by[kind] = variables_that_tell(opened, subjects, rule, kind, model)
    in_use = with_months if known.months else without
    most_alone = known.alone_at_most * len(subjects)
    in_months = alone_by_facts(classes, with_months.people, with_months.facts)
    is_over = known.facts == 1 and (in_months if known.months else alone)[1].n_alone > most_alone
    fewer = fewer_columns(columns, in_use.people, in_use.facts, most_alone) if columns and is_over else None
    everybody = np.zeros(len(subjects), dtype=np.int64)
    stay = [one for one in counted if one not in ("terms", *told_by)]
    return CourseRisk(
        fewer=fewer,
        alone_by_kind=_alone_by_kind(in_use, counted, everybody) if fewer is not None else (),
        may_keep=_may_keep(opened, model, counted, without) if columns else (),
        alone_in_class=_alone_by_kind(in_use, stay, classes) if columns and is_over else (),
        n_people=len(subjects),
        k=k,
        known=replace(known, kinds=counted),
        rare_terms=rare_terms,
        not_counted={
            kind: NO_COLUMNS if kind in asked else NOT_ASKED
            for kind in KINDS
            if kind not in counted and (kind in asked or kind != OF_KEPT_NUMBERS)
        },
        holders=without.holders,
        alone=alone,
        told_by=told_by,
        alone_with_months=in_months,
        below_k=alone_by_facts(classes, without.people, without.facts, k),
    )


def _may_keep(
    opened: Mapping[str, RowsOfTable], model: StudyModel, counted: Sequence[str], facts: Facts
) -> tuple[str, ...]:
    """Domains with reasons to leave the study, by which a trial is read, and the number of visits."""
    found = []
    for name, rows in opened.items():
        domain, columns = model.domain(name), list(map(str, rows.frame))
        ladders = term_ladders(domain, model.table(name), columns) if "terms" in counted else []
        if any(
            one.levels and are_dispositions(rows.frame[one.levels[0]].dropna().unique().tolist()) for one in ladders
        ):
            found.append(domain)
    return (*dict.fromkeys(found), *(kind for kind in ("visits",) if kind in counted and facts.holders[kind]))


def _alone_by_kind(facts: Facts, kinds: Sequence[str], classes: np.ndarray) -> tuple[str, ...]:
    """The kinds of facts by one of which somebody is alone in a class (n_people,)."""
    found = []
    for kind in kinds:
        of_kind = facts.of_kind(kind)
        if n_alone_by_one(classes, entries_of(facts.people[of_kind], facts.facts[of_kind])):
            found.append(kind)
    return tuple(found)


@dataclass(frozen=True)
class FoundByFacts:
    """The ``people`` found by so many ``facts``, None where masked; not ``is_all``: at least so many."""

    facts: int
    people: int | None
    is_all: bool

    @property
    def text(self) -> str:
        """The number as a cell."""
        least = "" if self.is_all or self.people is None else "at least "
        return f"{least}{count_text(self.people)}"


@dataclass(frozen=True)
class ToldCourse:
    """The longitudinal risk as a reader may see it; ``found``: who is found by how many facts, by the figure's name."""

    people: int
    known: Sequence[str]
    not_counted: Mapping[str, str]
    people_with: Mapping[str, int | None]
    found: Mapping[str, Sequence[FoundByFacts]] = field(metadata=INLINE)


def told_course(policy: Policy, course: CourseRisk) -> ToldCourse:
    """The figures under ``longitudinal``: to others counts of few people are null.

    There are none if no kind of fact could be counted.
    """
    told, with_fact = _told(policy, course), _told_with_fact(policy, course)
    return ToldCourse(
        people=course.n_people,
        known=list(course.known.kinds),
        not_counted=dict(course.not_counted),
        people_with={kind: with_fact[kind] for kind, n in course.holders.items() if n},
        found={
            name: [FoundByFacts(one.size, n, one.is_complete) for one, n in zip(found, told[name], strict=True)]
            for name, found in _found(course).items()
            if course.is_counted
        },
    )


def _found(course: CourseRisk) -> dict[str, tuple[AloneByFacts, ...]]:
    """Who is found by how many facts, by the figure's name."""
    below = f"fewer_than_{course.k}"
    return {"alone": course.alone, "alone_with_months": course.alone_with_months, below: course.below_k}


def _in_verdict(course: CourseRisk) -> tuple[str, int]:
    """The figure that the verdict uses, and its place."""
    return "alone_with_months" if course.known.months else "alone", course.known.facts


def _told_with_fact(policy: Policy, course: CourseRisk) -> dict[str, int | None]:
    return {kind: policy.told(n, course.n_people) for kind, n in course.holders.items()}


def _told(policy: Policy, course: CourseRisk) -> dict[str, list[int | None]]:
    """The counts of each figure, masked against all other reported counts, because they are nested.

    The verdict's figure is masked first, so that it is reported if any is. Those by no fact are totals of the pilot,
    known from k: they are reported in any case.
    """
    found = _found(course)
    told = {name: [policy.told(one.n_alone, course.n_people) for one in counts] for name, counts in found.items()}
    beside = [course.n_people, *(n for n in _told_with_fact(policy, course).values() if n is not None)]
    beside += [counts[0].n_alone for counts in found.values()]
    places = [(name, place) for name, counts in found.items() for place in range(1, len(counts))]
    for name, place in sorted(places, key=lambda one: one != _in_verdict(course)):
        told[name][place] = n = policy.told(found[name][place].n_alone, *beside)
        beside += [] if n is None else [n]
    return told


def course_parts(told: ToldCourse) -> Iterator[Part]:
    """What outsiders may know, and who is alone by how many facts."""
    *_, below = told.found
    of_sizes = zip(*told.found.values(), strict=True)
    rows = [[size, *(one.text for one in by_facts)] for size, by_facts in enumerate(of_sizes)]
    few = below.replace("_", " ").capitalize()
    heads = ["Facts", "Alone", "Alone, with months", few]
    partial = any(not one.is_all for found in told.found.values() for one in found)
    title = f"What rows disclose beyond the quasi-identifiers: {people_known(told.known)}"
    yield Sentence(title, Style.HEADING)
    yield Table(title, heads, rows, range(1, 4))
    if told.not_counted:
        yield Details("Kinds of facts that are not counted", not_counted_in_words(told.not_counted))
    least = " At least: sets of common facts alone were too many to look at." if partial else ""
    yield Sentence(
        f"Of {told.people} people, those alone in their class by up to so many facts that somebody may know. Months "
        f"are those of the study. That somebody had no such event is not counted as known.{least}",
        Style.SMALL,
    )


def not_counted_in_words(kinds: Mapping[str, str]) -> list[str]:
    """Kinds of facts that were not counted, and why."""
    return [f"{capitalised(KINDS[kind].words)}: {why}." for kind, why in kinds.items()]


def not_reckoned_with(policy: Policy, course: CourseRisk) -> Iterator[str]:
    """What the verdict leaves aside and outsiders may know: other kinds of facts, and the months of terms."""
    if not course.known.facts or not course.is_counted:
        return
    if others := [KINDS[kind].words for kind, why in course.not_counted.items() if why == NOT_ASKED]:
        yield f'Not reckoned with, for "outsiders_know" does not name them: {listed(others)}.'
    place, told = course.known.facts, _told(policy, course)
    if not course.known.months and course.alone_with_months[place].n_alone > course.alone[place].n_alone:
        facts = "one such fact" if place == 1 else f"up to {place} such facts"
        n_alone = count_in_sentence(told["alone_with_months"][place])
        yield (
            f"Not reckoned with: months. Who knows the month of {facts} singles out {n_alone} of {course.n_people} "
            "people."
        )


def people_known(kinds: Sequence[str]) -> str:
    """What outsiders may know, in words."""
    return listed(KINDS[kind].words for kind in kinds)


def reasons_of_course(policy: Policy, course: CourseRisk) -> list[Reason]:
    """A reason if more people are alone by the config's facts than it accepts."""
    known = course.known
    name, place = _in_verdict(course)
    if (
        not course.is_counted
        or not known.facts
        or _found(course)[name][place].n_alone <= known.alone_at_most * course.n_people
    ):
        return []
    remedy, changes = _remedy(policy, course)
    facts = f"up to {known.facts} facts" if known.facts > 1 else "one fact"
    months = ", with their months" if known.months else ""
    n_alone = count_in_sentence(_told(policy, course)[name][place])
    return [
        Reason(
            Gravity.OUTSIDERS_CAN_SINGLE_OUT,
            f"{capitalised(n_alone)} of {course.n_people} people in the release are alone by their quasi-identifiers "
            f"together with {facts} that an acquaintance may know ({people_known(known.kinds)}{months}).",
            remedy,
            changes,
            choices=_choices(course),
            is_of_all_ways=course.fewer is not None and not course.fewer.columns and not changes,
        )
    ]


def _choices(course: CourseRisk) -> tuple[ConfigChange, ...]:
    """What answers the reason only if outsiders know less: the other kinds of facts, where some single people out even
    without any quasi-identifier.
    """
    others = [kind for kind in course.known.kinds if kind not in course.alone_by_kind]
    if course.fewer is None or course.fewer.columns or not course.alone_by_kind or not others:
        return ()
    why = f"only if no outsider can know {people_known(course.alone_by_kind)} of a person: then delete this mark and #"
    known = {"kinds": others, "months": True} if course.known.months else {"kinds": others}
    return (ConfigChange.to(("release", "outsiders_know"), known, why),)


def _without(name: str, kind: str) -> ConfigChange:
    """The line by which a variable does not leave, or a whole domain, all rows of which tell a kind of fact."""
    why = f"it tells {KINDS[kind].words} of a few people"
    domain, _, variable = name.partition(".")
    if variable == "*":
        return ConfigChange.to(("release", "leave_out"), domain, why, is_added=True)
    return ConfigChange.to(("release", "operations", name), "remove", why)


def _of_few_hidden(course: CourseRisk) -> Iterator[ConfigChange]:
    """Rare terms within classes, and no quasi-identifiers of people with a rare fact; nothing where that is so."""
    rare, least = course.rare_terms, max(course.k, 2)
    kept = rare.keep if rare else ()
    is_within = rare is not None and rare.within_class and rare.at_least >= least
    is_done = is_within or "terms" not in (course.known.kinds or KINDS)
    if is_done and set(course.alone_in_class) <= set(kept):
        return
    keep = list(dict.fromkeys((*(kept if is_done else course.may_keep), *course.alone_in_class)))
    facts = dict.fromkeys(KINDS[one].words if one in KINDS else "a reason to leave the study" for one in keep)
    why = [] if is_done else [f"terms of fewer than {least} people of a class single people out"]
    why += [f"people lose their quasi-identifiers where one of these is rare: {listed(facts)}"] if keep else []
    value = {"at_least": least, "within": "class", **({"keep": keep} if keep else {})}
    yield ConfigChange.to(("release", "rare_terms"), value, "; ".join(why))


def _remedy(policy: Policy, course: CourseRisk) -> tuple[str, tuple[ConfigChange, ...]]:
    """The remedy: rare terms within classes, and no variable that tells of a death or a stay in hospital by itself; if
    they are no help, the controller must say what is known.
    """
    say = 'state under "release", "outsiders_know" what outsiders know of people (docs/release.md)'
    changes = [_without(name, kind) for kind, names in course.told_by.items() for name in names]
    changes += _of_few_hidden(course)
    if changes:
        return f"or {say}", tuple(changes)
    if course.fewer is None:
        return say, ()
    if course.fewer.columns:
        step = {"method": "drop_column", "columns": list(course.fewer.columns)}
        why = "without them, nobody is alone by one fact that an acquaintance may know"
        return f"or {say}", (ConfigChange.to(("treatment", "steps"), step, why, is_added=True),)
    n_alone = policy.told(course.fewer.alone_without, course.n_people)
    are = "is" if n_alone == 1 else "are"
    return (
        f"rows cannot leave at K = {course.k}: {count_in_sentence(n_alone)} of {course.n_people} people {are} alone "
        f"by such a fact ({people_known(course.alone_by_kind)}) even without any quasi-identifier. Tables may leave, "
        "protected by sdcTable or ACRO. "
        f"If outsiders do not know such facts, {say}",
        (),
    )
