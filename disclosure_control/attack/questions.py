"""The three questions of the Article 29 Working Party, answered with the figures behind each answer.

Source: Opinion 05/2014 on Anonymisation Techniques (WP216), section 2.2.2: can a person be singled out, can records be
linked to a person, can information about a person be inferred?
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from disclosure_control.assess.assessment import Assessment
from disclosure_control.basics.encoding.columns import number_text
from disclosure_control.basics.telling.reasons import Gravity, Reason
from disclosure_control.basics.telling.small_counts import MASKED_CELL, NOT_SHOWN, Policy
from disclosure_control.basics.telling.words import capitalised, counted, listed, people_text, share_of_text
from disclosure_control.identifiers.outcome import IdentifierOutcome, in_words, one_per_column
from disclosure_control.measures.reidentification import (
    ReidentificationRisk,
    RiskProfile,
    prosecutor_risk,
    risk_profile,
)


@dataclass(frozen=True)
class Answer:
    """``answer`` is "yes", "no" or "not assessable"; ``sentence`` gives it with the ``figures`` it rests on.

    ``is_by_figures``: False where something else than the quasi-identifiers decides, which the sentence says.
    """

    question: str
    answer: str
    sentence: str
    figures: dict[str, object]
    is_by_figures: bool = True

    @property
    def people(self) -> str:
        """How many of how many people the figures say, of several sensitive features the most; "-" without any."""
        if not self.is_by_figures:
            return "-"
        if "evaluated" in self.figures:
            n = self.figures.get("unique", self.figures.get("at_risk"))
            return f"{n:,} of {self.figures['evaluated']:,}"
        of_features = [one for one in self.figures.values() if isinstance(one, Mapping) and one["with_value"]]
        if not of_features:
            return "-"
        most = max(of_features, key=lambda one: (one["certain"] or 0, one["certain"] is None, one["above_t"] or 0))
        n = most["certain"] if most["certain"] != 0 else most["above_t"]  # whom only the distribution tells of
        return f"{MASKED_CELL if n is None else format(n, ',')} of {most['with_value']:,}"


def three_questions(
    policy: Policy,
    assessment: Assessment,
    profile: RiskProfile | None = None,
    prosecutor: ReidentificationRisk | None = None,
    identified: IdentifierOutcome | None = None,
    sensitive: Sequence[str] = (),
) -> dict[str, Answer]:
    """The answers by name: singling_out, linkability, inference. "no" only means: not by these figures.

    ``profile`` and ``prosecutor`` are those of the assessment's classes, computed here with default settings if not
    given. ``identified`` is the result of the step ``identifiers``: a column that names people takes precedence over
    classes. ``sensitive``: the features that the config names; those that were dropped are not in the assessment.
    """
    missing_qis = assessment.config.missing_qis
    profile = profile or risk_profile(assessment.classes, missing_qis=missing_qis)
    answers = {
        "singling_out": _singling_out(assessment, profile),
        "linkability": _linkability(prosecutor or prosecutor_risk(assessment.classes, missing_qis=missing_qis)),
        "inference": _inference(policy, assessment, profile.n_unique, sensitive),
    }
    if identified is None or not identified.vetoing:
        return answers
    return {name: _of_the_file(policy, answer, identified, FOLLOWS[name]) for name, answer in answers.items()}


def without_rows(answers: Mapping[str, Answer]) -> dict[str, Answer]:
    """The answers where the rows of the files were not looked at: a "no" is then one by the quasi-identifiers alone."""
    first = answers["singling_out"]
    if first.answer != "no":
        return dict(answers)
    said = first.sentence.partition(": ")[2]
    sentence = f"No by the quasi-identifiers: {said} What rows of the files disclose beside them was not looked at."
    return {**answers, "singling_out": replace(first, sentence=sentence, is_by_figures=False)}


# The consequence for each question of a column that names people; "" where the finding gives it.
FOLLOWS = {
    "singling_out": "",
    "linkability": "who knows it from elsewhere finds the record",
    "inference": "who finds the record reads every value in it",
}


def _of_the_file(policy: Policy, answer: Answer, identified: IdentifierOutcome, follows: str) -> Answer:
    """The answer for the file: yes where a finding is open; the treatment's dropped columns come after the figures."""
    if not identified.open:
        names = [finding.name for finding in one_per_column(identified.vetoing)]
        dropped = f" The treatment drops {listed(names, at_most=len(names))} first, by the step identifiers."
        return replace(answer, sentence=answer.sentence + dropped)
    found = one_per_column(identified.open)
    said_of = listed([in_words(policy, finding) for finding in found], at_most=3)
    words = listed([finding.name for finding in found], at_most=3) if follows else said_of
    said = answer.sentence.partition(": ")[2] or answer.sentence
    sentence = (
        f"Yes: {words}{f', {follows}' if follows else ''}; {'' if answer.answer == 'yes' else 'by the classes, '}{said}"
    )
    figures = {**answer.figures, "identifiers": [finding.name for finding in found]}
    return replace(answer, answer="yes", sentence=sentence, figures=figures, is_by_figures=False)


def beside_reasons(answers: Mapping[str, Answer], reasons: Sequence[Reason]) -> dict[str, Answer]:
    """The answers if ``reasons`` to hold say more than the classes: "no" must not appear beside such a reason.

    A column that names a person turns all three answers into yes; people who are alone by what outsiders know, the
    first; a sensitive feature that released columns give away, the third.
    """
    of_people = (Gravity.NAMES_A_PERSON, Gravity.OUTSIDERS_CAN_SINGLE_OUT)
    gravest = min((one for one in reasons if one.gravity in of_people and not one.infers), default=None)
    why = {"singling_out": gravest.sentence.rstrip(".")} if gravest else {}
    inferred = min((one for one in reasons if one.infers), default=None)
    if inferred:
        why["inference"] = inferred.sentence.rstrip(".")
    if gravest and gravest.gravity is Gravity.NAMES_A_PERSON:
        why["linkability"] = "who knows what names a person in it finds the record"
        why["inference"] = FOLLOWS["inference"]
    return {name: _yes(answer, why[name]) if name in why else answer for name, answer in answers.items()}


def _yes(answer: Answer, why: str) -> Answer:
    if answer.answer == "yes":
        return answer
    said = answer.sentence.partition(": ")[2] or answer.sentence
    sentence = f"Yes: {why}. By the quasi-identifiers: {said}"
    return replace(answer, answer="yes", sentence=sentence, is_by_figures=False)


def _answer(question: str, yes: bool, sentence: str, figures: dict) -> Answer:
    words = "yes" if yes else "no"
    return Answer(question, words, f"{words.capitalize()}: {sentence}", figures)


def _left_out(assessment: Assessment) -> str:
    """The people whom the shares leave out, stated together with them."""
    k = assessment.k_anonymity
    n = k.n_total - k.n_evaluated
    return f" {n:,} more people are not evaluated, for lack of a quasi-identifier." if n else ""


def _nothing(question: str) -> Answer:
    return Answer(question, "not assessable", "Not assessable: no record was evaluated.", {})


def _people(n: int, n_all: int) -> str:
    return f"{n:,} of {n_all:,} evaluated people ({share_of_text(n, n_all)})"


def _singling_out(assessment: Assessment, profile: RiskProfile) -> Answer:
    question = "Can a person be singled out?"
    k = assessment.k_anonymity
    if not profile.n_evaluated or k.worst is None:
        return _nothing(question)
    figures = {"unique": profile.n_unique, "evaluated": profile.n_evaluated, "smallest_k": k.worst}
    alone = _people(profile.n_unique, profile.n_evaluated)
    sentence = (
        f"{alone} are alone with their quasi-identifiers."
        if profile.n_unique
        else f"nobody is alone with the quasi-identifiers; the smallest class has {number_text(k.worst)} people."
    )
    return _answer(question, profile.n_unique > 0, sentence + _left_out(assessment), figures)


def _linkability(risk: ReidentificationRisk) -> Answer:
    question = "Can a person be linked?"
    if risk.at_risk_rate is None or risk.average is None:
        return _nothing(question)
    n_at_risk = round(risk.at_risk_rate * risk.n_evaluated)
    expected = risk.average * risk.n_evaluated
    figures = {
        "at_risk": n_at_risk,
        "evaluated": risk.n_evaluated,
        "threshold": risk.threshold,
        "highest": risk.highest,
        "expected_reidentifications": expected,
    }
    sentence = (
        f"{_people(n_at_risk, risk.n_evaluated)} are found with a chance above {risk.threshold:g}. An attacker who "
        f"guesses a match for everyone would be right about {counted(round(expected), 'time')}, without knowing which."
    )
    return _answer(question, n_at_risk > 0, sentence, figures)


def _inference(policy: Policy, assessment: Assessment, n_unique: int, sensitive: Sequence[str]) -> Answer:
    """The count of certain values is published beside the totals that contain it, or that it contains; the answer is
    exact.

    ``n_unique`` people are alone with their quasi-identifiers: if everyone has a value, theirs is certain.
    """
    question = "Can a value be inferred?"
    config = assessment.config
    evaluated, figures, words = assessment.classes.evaluated(config.missing_qis), {}, []
    is_certain = False
    for name in config.sensitive_features:
        n_people, n_certain = 0, 0
        for part, table in assessment.counts[name].tables:
            kept = evaluated[part][table.class_of_cell]
            n_people += int(table.people[kept].sum())
            n_certain += _n_certain(table.class_of_cell[kept], table.people[kept])
        t = assessment.t_closeness[name]
        if not n_people:
            figures[name] = {"certain": None, "with_value": 0, "above_t": None}
            words.append(f"{name} was not looked at: nobody evaluated has a value of it.")
            continue
        is_certain |= n_certain > 0
        alone = [n_unique] if n_people == assessment.k_anonymity.n_evaluated else []
        told = policy.told(n_certain, n_people, assessment.l_diversity[name].n_risky, *alone)
        figures[name] = {"certain": told, "with_value": n_people, "above_t": t.n_risky}
        # "Fewer than ten" is said only if nothing else can be calculated from it; otherwise the number is masked.
        few = "fewer than 10" if n_certain < policy.threshold and not any(alone) else NOT_SHOWN
        share = f" ({share_of_text(told, n_people)})" if n_people and told is not None else ""
        so = "" if told == 0 else ", so it can be read off"
        above = people_text(t.n_risky, ",") if t.n_risky else "nobody"
        words.append(
            f"{few if told is None else f'{told:,}'} of {n_people:,} people with a value{share} share one value of "
            f"{name} with everyone in their class{so}. For {above} the class's values "
            "differ from the overall distribution by more than T."
        )
    if not figures:
        why = f"{listed(sensitive)} {'is' if len(sensitive) == 1 else 'are'} not released"
        why = why if sensitive else "the config names no sensitive feature"
        return Answer(question, "not assessable", f"Not assessable: {why}.", {})
    if not any(entry["with_value"] for entry in figures.values()):
        return _nothing(question)
    yes = is_certain or any(entry["above_t"] for entry in figures.values())
    return _answer(question, yes, " ".join([words[0], *map(capitalised, words[1:])]), figures)


def _n_certain(class_of_cell: np.ndarray, people: np.ndarray) -> int:
    """People with a value in classes where only one value occurs."""
    n_values = np.bincount(class_of_cell)
    return int(people[n_values[class_of_cell] == 1].sum())
