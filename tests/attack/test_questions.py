"""The three questions of the Working Party: answers, the people behind them, and what else decides them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from disclosure_control.assess.assessment import assess
from disclosure_control.attack.questions import Answer, beside_reasons, three_questions, without_rows
from disclosure_control.basics.telling.reasons import Gravity, Reason
from disclosure_control.basics.telling.small_counts import EXACT, MASKED
from tests.kept import changed_since_kept
from tests.remedy.treatments.treatment_frames import config_for


def test_of_several_features_the_people_are_those_of_the_one_that_tells_most():
    def people(*features):
        return Answer("?", "yes", "", {str(i): one for i, one in enumerate(features)}).people

    masked, most = {"certain": None, "with_value": 365, "above_t": 2}, {"certain": 62, "with_value": 633, "above_t": 0}
    assert people(masked, most) == people(most, masked) == "62 of 633"
    assert people(masked) == "masked of 365"
    assert people({"certain": 0, "with_value": 365, "above_t": 14}) == "14 of 365"


def test_a_no_without_the_rows_is_one_by_the_quasi_identifiers():
    no = Answer("Can a person be singled out?", "no", "No: nobody is alone with the quasi-identifiers.", {})
    yes = Answer(no.question, "yes", "Yes: 3 people.", {})
    first, inference = without_rows({"singling_out": no, "inference": no}).values()
    assert (first.answer, first.is_by_figures, first.people, inference) == ("no", False, "-", no)
    assert without_rows({"singling_out": yes}) == {"singling_out": yes}


@pytest.mark.parametrize("missing_qis", ["category", "exclude", "wildcard"])
def test_answers_of_whole_pilots(missing_qis):
    """Everybody alone, nobody alone, values known of a class, and a pilot without a sensitive feature."""
    sex, place = np.array(["f", "m", None])[np.arange(60) % 3], np.arange(60)
    frame = pd.DataFrame({"sex": sex, "age": place, "arm": np.where(place < 20, "a", place % 4), "dose": place % 5})
    pilots = [(["sex"], ["age"], ["dose"]), (["sex"], [], ["arm", "dose"]), (["arm"], [], ["dose"]), (["sex"], [], [])]
    reasons = [Reason(Gravity.NAMES_A_PERSON, "a"), Reason(Gravity.OUTSIDERS_CAN_SINGLE_OUT, "b", infers=True)]
    found = {}
    for number, roles in enumerate(pilots):
        assessment = assess(frame, config_for(*roles, missing_qis=missing_qis))
        for policy in (EXACT, MASKED):
            answers = three_questions(policy, assessment, sensitive=roles[2])
            people = [one.people for one in answers.values()]
            beside = {str(at): beside_reasons(answers, reasons[at:]) for at in (0, 1)}
            found[f"{number} {policy is MASKED}"] = {"answers": answers, "people": people, "beside": beside}
    assert changed_since_kept(f"questions_{missing_qis}", found) == {}
