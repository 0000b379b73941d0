"""Who is alone by released columns, whatever their role: counts, words, what holds, what the config may declare."""

from __future__ import annotations

from collections import Counter

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.assess.assessment import assess
from disclosure_control.attack.leaving import Leaving
from disclosure_control.basics.telling.reasons import Gravity
from disclosure_control.basics.telling.small_counts import MASKED
from disclosure_control.remedy.treatments.treat import treat
from disclosure_control.steps.treatment.figures import treatment_findings
from disclosure_control.steps.treatment.report import treatment_report
from tests.config_keys import faults_of_key, settings_of_key
from tests.examples import examples
from tests.found import InSummary
from tests.remedy.treatments.treatment_frames import config_for

CONFIG = config_for(["sex"], K=2)


def figures_of(frame: pd.DataFrame, *steps, config=CONFIG, harmless=None) -> dict:
    settings = settings_of_key("treatment", {"steps": list(steps), "harmless": harmless or {}})
    return InSummary(treatment_findings(assess(frame, config), treat(frame, config, steps), frame, settings)(MASKED))


def people(n: int = 40, **columns) -> pd.DataFrame:
    return pd.DataFrame({"USUBJID": [f"S-{i}" for i in range(n)], "sex": ["F", "M"] * (n // 2), **columns})


def heights(n: int = 40) -> list[str]:
    """Twenty heights, each of one woman and one man."""
    return [str(150 + i // 2) for i in range(n)]


def test_alone_by_what_outsiders_know_beside_the_quasi_identifiers():
    figures = figures_of(people(height=heights(), LB__X=[str(i) for i in range(40)]))
    outsiders = figures["singled_out"]["outsiders"]
    assert outsiders["not_assessed"] == {"height": "body measure"}
    assert (outsiders["people_alone"], outsiders["people_alone_by_quasi_identifiers"]) == (40, 0)
    assert outsiders["smallest_sets"] == [{"columns": ["sex", "height"], "people_alone": 40}]
    assert figures["singled_out"]["near_ids"] == {"LB__X": 40}
    text = treatment_report(figures.found)
    assert "LB__X is nearly an id: by it alone 40 of 40 people are alone" in text
    assert "sex, height: 40" in text
    (reason,) = figures.found.leaving.reasons()
    assert reason.gravity == Gravity.OUTSIDERS_CAN_SINGLE_OUT
    assert reason.sentence.startswith("40 of 40 people share their quasi-identifiers with others, but are alone")
    assert reason.sentence.endswith("height (body measure); by sex, height alone: 40.")
    (change,) = reason.changes
    assert change.value == {"method": "microaggregation", "columns": ["height"], "group_size": 6}  # 3 of 20 heights
    assert '"harmless"' in reason.remedy


@pytest.mark.parametrize(
    ("step", "harmless"),
    [
        ({"method": "band", "column": "height", "width": 5}, None),
        ({"method": "drop_column", "columns": ["height"]}, None),
        (None, {"height": "measured once, by nobody but the study"}),
    ],
)
def test_what_is_treated_dropped_or_declared_holds_nothing(step, harmless):
    figures = figures_of(people(height=heights()), *([step] if step else []), harmless=harmless)
    assert figures.found.leaving.reasons() == ()
    text = treatment_report(figures.found)
    assert "names are all that was looked at" in text
    assert ("Declared harmless in the config: height (measured once, by nobody but the study)." in text) == bool(
        harmless
    )


def test_a_treatment_that_leaves_people_alone_is_said():
    """Heights moved to the middle of half a centimetre: all are other values, and as many people are alone."""
    frame = people(height=[150.3 + i for i in range(40)])
    step = {"method": "band", "column": "height", "width": 0.5, "label": "midpoint"}
    figures = figures_of(frame, step, config=config_for(["sex"], ["height"], K=2))
    assert figures["singled_out"]["outsiders"]["treated_without_a_role"] == {}  # a quasi-identifier: for k
    figures = figures_of(frame, step)
    assert figures["singled_out"]["outsiders"]["people_alone_with_treated"] == 40
    said = "treated and without a role in the config: height (body measure). With these as they are released 40 of 40"
    assert said in treatment_report(figures.found)


def test_a_column_touched_in_a_few_cells_is_still_released_as_it_was():
    """Ten of 400 postal codes touched: it vanished from every list."""
    codes = [str(10_000 + i // 2) for i in range(400)]
    frame = people(400, zip=codes)
    step = {"method": "group", "column": "zip", "groups": {"*": codes[:10:2]}}
    figures = figures_of(frame, step)
    assert figures["untouched"] == ["zip"]
    assert figures["untouched_but_for"] == {"zip": 10}
    assert "zip is one of these: a step changed 10 values of it" in treatment_report(figures.found)
    (reason,) = figures.found.leaving.reasons()
    assert reason.sentence.startswith("390 of 400 people share")


@pytest.mark.thorough("0.7 s")
@pytest.mark.parametrize(("n_touched", "is_named"), [(200, True), (202, False)])
def test_a_column_of_which_more_than_half_is_touched_is_not_released_as_it_was(n_touched, is_named):
    """Of 400 people with a postal code; a column of which exactly half is as it was is named."""
    codes = [str(10_000 + i // 2) for i in range(400)] + [None] * 100
    step = {"method": "group", "column": "zip", "groups": {"*": codes[:n_touched:2]}}
    assert figures_of(people(500, zip=codes), step)["untouched"] == (["zip"] if is_named else [])


@examples(50)
@given(st.lists(st.tuples(st.sampled_from(["a", "b", None]), st.sampled_from(["1", "1.0", "2", None])), max_size=12))
def test_who_is_alone_by_some_columns_as_counted_one_by_one(rows):
    """A missing value is a value, and 1 and 1.0 are the same."""
    frame = pd.DataFrame(rows, columns=["x", "y"], dtype="str").assign(sex="F")
    leaving = Leaving.of(assess(frame, CONFIG), treat(frame, CONFIG, []))
    counts = Counter((x, y and y[0]) for x, y in rows)
    assert leaving.n_alone(["x", "y"]) == sum(n == 1 for n in counts.values())
    assert leaving.n_alone([]) == (len(rows) == 1)


def test_people_alone_by_the_quasi_identifiers_are_for_k():
    frame = people(4, height=["1", "1", "2", "2"]).assign(sex=list("abcd"))
    figures = figures_of(frame)
    assert figures["singled_out"]["outsiders"]["people_alone_by_quasi_identifiers"] == 4
    assert figures.found.leaving.reasons() == ()


def test_faults_of_what_is_declared():
    (fault,) = faults_of_key("treatment", {"steps": [], "harmless": {"hight": "why"}}, {}, ["height"])
    assert "treatment['harmless']: column 'hight' is not in the combined dataset; did you mean 'height'?" in fault
    (fault,) = faults_of_key("treatment", {"steps": [], "harmless": {"height": ""}}, {}, ["height"])
    assert "why nobody outside the study knows it" in fault
