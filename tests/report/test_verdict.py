"""The verdict: about what leaves, gravest first, at most three reasons, and no more said than was looked at."""

from __future__ import annotations

import html
import re
from types import SimpleNamespace

import pandas as pd
import pytest

from config.model_settings import validate_config
from disclosure_control.assess.assessment import assess
from disclosure_control.attack.questions import Answer, beside_reasons, three_questions, without_rows
from disclosure_control.basics.settings.changes import ConfigChange
from disclosure_control.basics.telling.reasons import Gravity, Reason
from disclosure_control.basics.telling.section_text import as_text
from disclosure_control.basics.telling.sections import AnswersGiven, Section, Where
from disclosure_control.basics.telling.small_counts import MASKED
from disclosure_control.remedy.treatments.treat import treat
from disclosure_control.report.page.page import privacy_page
from disclosure_control.report.verdict import (
    LEFT_OPEN,
    Verdict,
    verdict_on,
    what_leaves,
)
from disclosure_control.steps.running import StepResult
from disclosure_control.study_tables.fit import FitForUse, Fitness

NAMES = Reason(Gravity.NAMES_A_PERSON, "a column names people.", "drop it")
ALONE = Reason(Gravity.OUTSIDERS_CAN_SINGLE_OUT, "people are alone.")
OPEN = [Reason(Gravity.NOT_DECIDED, f"{n} waits.") for n in range(3)]


def at_length(verdict: Verdict) -> str:
    return as_text([verdict.at_length], Where.TEXT)


def test_what_may_leave_is_shown_as_good_and_a_hold_is_not():
    shown = [Verdict("released/", reasons).section for reasons in ((), (NAMES,))]
    assert [(one.title, one.tone) for one in shown] == [("May leave", "good"), ("Hold", "bad")]


def test_nothing_is_released_where_the_config_asks_for_nothing():
    verdict = verdict_on(what_leaves({}), {})
    assert verdict.text.startswith("VERDICT: Hold, nothing is released.\n  Reasons\n  1. The config has neither")
    assert verdict.text.endswith("Next: python Main_Anonymization.py PILOT --propose\n")
    assert '"release": {"key_from"' in at_length(verdict)
    assert '"recommend": {}' in at_length(verdict)
    weighs = at_length(verdict_on(what_leaves({}), {}, (), {"recommend": {"weigh": "all"}}))
    assert '"treatment": [' in weighs
    assert '"recommend": {' not in weighs  # what the config asks of it stays
    assert verdict.figures["verdict"] == "Hold"


def test_reasons_come_gravest_first_and_at_most_three():
    steps = {
        "risk": StepResult({}, reasons_to_hold=(*OPEN, ALONE)),
        "explore": StepResult({}, reasons_to_hold=(NAMES,)),
    }
    verdict = verdict_on(what_leaves(steps), steps)
    sentences = [reason["sentence"] for reason in verdict.figures["reasons"]]
    assert sentences[:2] == [NAMES.sentence, ALONE.sentence]
    assert len(sentences) == 3
    assert verdict.figures["further_reasons"] == 3
    assert "  3 further reasons: in the details." in verdict.text
    assert all(reason.sentence in at_length(verdict) for reason in verdict.reasons)
    page = privacy_page("PILOT", [verdict.section])
    listed = html.unescape(page[page.index("<summary>3 further reasons</summary>") :])
    assert all(reason.sentence in listed for reason in verdict.reasons[3:])
    assert verdict.vetoes == (ALONE, NAMES)


def test_one_thing_to_do_stands_first_and_lines_to_paste_stand_as_code():
    """Lines of a later reason have what the earlier ones write: pasted in their order, none is lost."""
    keep = ConfigChange.to(("release", "operations", "AE.X"), "keep")
    gone = ConfigChange.to(("release", "operations", "AE.Y"), "remove")
    steps = {
        "release": StepResult(
            {},
            reasons_to_hold=(
                Reason(Gravity.NAMES_A_PERSON, "Y names people.", "or say why not", (gone,)),
                Reason(Gravity.OUTSIDERS_CAN_SINGLE_OUT, "X is open.", changes=(keep,)),
            ),
        )
    }
    config = {"release": {"key_from": {"environment": "KEY"}}}
    verdict = verdict_on(what_leaves(steps), steps, config=config)
    first, second = (reason.lines for reason in verdict.reasons[:2])
    assert first == '"release": {"key_from": {"environment": "KEY"}, "operations": {"AE.Y": "remove"}}'
    assert second.endswith('"operations": {"AE.Y": "remove", "AE.X": "keep"}}')
    assert f"Next: {first}, or say why not" in at_length(verdict)
    page = html.unescape(privacy_page("PILOT", [verdict.section]))
    codes = re.findall(r'<pre class="copy" tabindex="0"><code>(.*?)</code></pre>', page)
    assert codes[:3] == [first, second, "python Main_Anonymization.py PILOT --propose"]


@pytest.mark.parametrize(
    ("step", "is_offered"),
    [
        ({"method": "drop_column", "columns": ["ward"]}, True),
        ({"method": "bins", "column": "age", "edges": [50, 60]}, False),
        ({"method": "local_suppression", "importance": ["sex"]}, False),
    ],
)
def test_the_recommended_recoding_is_offered_where_no_step_takes_its_place(step, is_offered):
    """Behind bands or hidden cells of a quasi-identifier it ended the next run with a fault."""
    config = {"categorical_qis": ["sex"], "continuous_qis": [], "binning_config": {}, "K": 3, "sensitive_feature": []}
    treated = treat(pd.DataFrame({"sex": ["f"] * 20 + ["m"]}), validate_config(config, ["sex"]), [])
    given = StepResult({}, datasets={"anonymised_dataset.csv": None}, outcome=treated)
    written = {**config, "continuous_qis": ["age"], "treatment": [step]}
    verdict = verdict_on(what_leaves({"treatment": given}), {"treatment": given}, config=written)
    (reason,) = (one for one in verdict.reasons if one.sentence.startswith("k < 3"))
    assert any({"method": "recommended"} in change.value for change in reason.changes) == is_offered


def test_a_study_that_could_not_be_written_is_not_replaced_by_the_flat_table():
    steps = {
        "treatment": StepResult({}, datasets={"anonymised_dataset.csv": None}),
        "release": StepResult({"released": False, "reason": "fewer people than K = 5 are left."}),
    }
    verdict = verdict_on(what_leaves(steps), steps)
    assert verdict.about == "nothing is released"
    assert "fewer people than K" in verdict.text


def test_the_three_questions_are_asked_of_what_leaves_and_not_only_of_what_came_in():
    """Six people of six towns: each alone as they came, nobody once the town is not released."""
    config = {"categorical_qis": ["town"], "continuous_qis": [], "binning_config": {}, "K": 3}
    checked = validate_config({**config, "sensitive_feature": []}, ["town"])
    frame = pd.DataFrame({"town": list("abcdef")})
    treated = treat(frame, checked, [{"method": "drop_column", "columns": ["town"]}])
    answers = three_questions(MASKED, treated.as_released)
    released = StepResult({}, datasets={"anonymised_dataset.csv": frame}, answers=answers, outcome=treated)
    steps = {"treatment": released}
    verdict = verdict_on(what_leaves(steps), steps)
    of_pilot = three_questions(MASKED, assess(frame, checked))
    beside = verdict_on(what_leaves(steps), steps | {"risk": StepResult({}, answers=of_pilot)})
    assert "  Singled out?  No              6 of 6         0 of 6\n" in beside.text
    answers = verdict.figures["three_questions"]
    assert {name: answer["answer"] for name, answer in answers.items()} == {
        "singling_out": "no",
        "linkability": "no",
        "inference": "not assessable",
    }
    assert "Three questions (WP216), of anonymised_dataset.csv\n" in verdict.text
    assert "  Singled out?  No              0 of 6\n" in verdict.text
    assert "  Can a person be singled out?  No:" in at_length(verdict)


def test_a_reason_that_names_people_and_a_no_do_not_stand_side_by_side():
    no = {name: Answer("?", "no", "No: nobody is alone.", {}) for name in ("singling_out", "linkability", "inference")}
    treated = SimpleNamespace(as_released=None)
    by_what = {NAMES: ["yes"] * 3, ALONE: ["yes", "no", "no"], OPEN[0]: ["no"] * 3}
    for reason, expected in by_what.items():
        datasets = {"anonymised_dataset.csv": None}
        step = StepResult({}, datasets=datasets, answers=no, outcome=treated, reasons_to_hold=(reason,))
        answers = verdict_on(what_leaves({"treatment": step}), {"treatment": step}).answers
        assert [answer.answer for answer in answers.values()] == expected
    assert beside_reasons(no, [NAMES])["singling_out"].sentence == (
        "Yes: a column names people. By the quasi-identifiers: nobody is alone."
    )


def test_a_yes_by_a_reason_has_no_count_of_classes_beside_it_and_its_sentence_below_the_table():
    """Before, "Yes, 0 of 600" stood in the table: people alone by their classes, beside a reason of other people."""
    figures, asked = {"unique": 0, "evaluated": 600}, ("singling_out", "linkability")
    no = {name: Answer("Can it be done?", "no", "No: nobody is alone.", figures) for name in asked}
    after = beside_reasons(no, [ALONE])
    table = AnswersGiven("of it", list(after.values()), before=list(no.values()))
    assert [row[1:] for row in table.in_rows] == [("yes", "0 of 600", "-"), ("no", "0 of 600", "0 of 600")]
    assert as_text([Section("", "", [table])], Where.TEXT).count(after["singling_out"].sentence) == 1
    assert without_rows(no)["singling_out"].people == "-"


def test_what_may_leave_says_what_nobody_looked_at():
    """They are counted on the first screen, and named where everything is: a word on each drowned the answer."""
    verdict = Verdict("released/", (), not_looked_at=("Not looked at: this.", "Nor that."))
    assert verdict.text.startswith("VERDICT on released/: May leave.")
    assert f"\n  {LEFT_OPEN} (2)" in verdict.text
    assert f"\n{LEFT_OPEN}\n  Not looked at: this.\n  Nor that.\n" in at_length(verdict)


def test_readers_outside_learn_whether_it_is_fit_for_use_and_no_figure_of_a_table():
    limits = ("Adverse events (AE): 2 of 8 comparisons moved.", "Disposition (DS): nothing is left of DEATH.")
    fit = FitForUse(Fitness.NO, ("81% to 50% of people",), limits, limits)
    page = html.unescape(privacy_page("PILOT", [Verdict("released/", (), use=fit).section], is_shareable=True))
    assert "Fit for use: no. README.txt of the release names the limits of 2 tables." in page
    assert not any(one in page for one in ("81%", "moved", "DEATH", "FIT FOR USE"))


def of_people(n: int, k: int = 2, **config: object) -> Verdict:
    """The verdict on a treated dataset of people who all have one sex."""
    checked = validate_config(
        {"categorical_qis": ["sex"], "continuous_qis": [], "binning_config": {}, "K": k, "sensitive_feature": []},
        ["sex"],
    )
    treated = treat(pd.DataFrame({"sex": ["f"] * n}), checked, [])
    step = StepResult({}, datasets={"anonymised_dataset.csv": None}, outcome=treated)
    return verdict_on(what_leaves({"treatment": step}), {"treatment": step}, config=config)


def test_few_people_leave_only_if_a_person_says_why():
    assert [of_people(n).may_leave for n in (9, 10)] == [False, True]
    assert [of_people(n, k=6).may_leave for n in (11, 12)] == [False, True]
    assert of_people(9, context={"residual_risk": "a case series that the patients published"}).may_leave
    assert "a person says why" in at_length(of_people(9))
    [line] = [choice for reason in of_people(9).reasons for choice in reason.choices]
    assert not of_people(9, context={"residual_risk": line.value}).may_leave


def test_without_a_sensitive_feature_the_verdict_says_that_nothing_was_assessed_of_it():
    words = "what can be inferred about a person, for the config names no sensitive feature"
    assert words in of_people(12).text
    assert words not in of_people(12, sensitive_feature="diagnosis").text  # it was named, and does not leave
