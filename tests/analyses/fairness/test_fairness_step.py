"""The step ``fairness``: its key, who bears the anonymisation, and what is named where."""

from __future__ import annotations

import json

import numpy as np
import pytest

from disclosure_control.analyses.fairness.burden import folded
from disclosure_control.analyses.fairness.step import run_step
from disclosure_control.basics.encoding.columns import EncodedColumn
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.plain import plain
from disclosure_control.basics.telling.small_counts import MASKED
from disclosure_control.remedy.treatments.treat import treat
from tests.analyses.private_release.publish_pilots import people, result, step_input
from tests.cases import each
from tests.config_keys import faults_of_key
from tests.kept import changed_since_kept
from tests.ninety_people import outcome_of

SETTINGS = {"favourable": {"column": "LB__X", "at_least": "mean"}, "sensitive": "DM__SEX", "reference": "M"}
COLUMNS = list(people(1).columns)


def test_suppressed_cells_are_seen_by_group(tmp_path):
    """Twelve of either site are at 70; suppressed, they are a class of their own."""
    ages = ["30"] * 28 + ["70"] * 12 + ["50"] * 18 + ["70"] * 12
    table = people(70).assign(DM__SEX=["A"] * 40 + ["B"] * 30, DM__AGE=ages)
    settings = {**SETTINGS, "reference": "A"}
    step = step_input(tmp_path, table, settings, key="fairness", K=15)
    treated = treat(step.dataset.everybody.typed_table, step.assessment.config, [{"method": "suppress_cells"}])
    earlier = {"treatment": result(treated)}
    found = run_step(step_input(tmp_path, table, settings, K=15, earlier=earlier, key="fairness"))
    measures = {measure["measure"]: measure for measure in found.figures["anonymisation"]}
    for name in ("suppressed", "changed"):
        by_group = [(group["group"], group[name]) for group in measures[f"a quasi-identifier {name}"]["by_group"]]
        assert by_group == [("B", 12), ("A", 12)], name  # 12 of 30 before 12 of 40


def test_groups_below_ten_people_are_folded_and_not_named():
    names, codes = np.array(["big", "one", "other"], dtype=object), np.array([0] * 30 + [1] * 4 + [2] * 3 + [-1] * 12)
    groups, nobody = EncodedColumn(codes, names), np.zeros(49, dtype=bool)
    entries = plain(folded(MASKED, groups, ~nobody, nobody, "flagged"))
    # Seven people would be what the others leave of the total, so the next larger group is with them.
    assert [entry["group"] for entry in entries] == ["big", "(smaller groups together)"]
    assert entries[-1]["people"] == 19
    (few,) = plain(folded(MASKED, groups, codes == 1, nobody, "flagged", codes == 1))
    assert few == {"group": "(fewer than 10 people)"}
    more, nobody = EncodedColumn(np.append(codes, [1] * 5), names), np.zeros(54, dtype=bool)
    entries = plain(folded(MASKED, more, ~nobody, nobody, "flagged"))
    assert (entries[-1]["group"], entries[-1]["people"]) == ("(smaller groups together)", 12)


def test_the_screen_names_no_group_but_those_of_the_config(tmp_path):
    table = people(300).assign(DM__SEX=["Ursula"] * 100 + ["M"] * 100 + ["F"] * 97 + ["Rare"] * 3)
    found = run_step(step_input(tmp_path, table, {**SETTINGS, "group": "F"}, key="fairness"))
    assert "Ursula" in found.report
    assert "Rare" not in found.report + json.dumps(found.figures)
    assert "Ursula" not in found.on_screen


def test_favourable_values_that_nobody_has_are_said_first(tmp_path):
    rule = {"column": "DM__AGE", "equals": ["no such age", *range(18, 90)]}
    found = run_step(step_input(tmp_path, people(3000), {**SETTINGS, "favourable": rule}, key="fairness"))
    assert "NOTE: fairness: 1 of the 73 favourable values are held by nobody" in found.first_lines
    assert "no such age" not in found.first_lines
    nobody = {"column": "DM__AGE", "equals": ["no such age"]}
    found = run_step(step_input(tmp_path, people(3000), {**SETTINGS, "favourable": nobody}, key="fairness"))
    assert run_step(step_input(tmp_path, people(300), SETTINGS, key="fairness")).first_lines == ""


@each(
    ("settings", "words"),
    [
        ("all", "found str"),
        ({}, "fairness['favourable']: missing"),
        ({**SETTINGS, "sensitiv": "x"}, "did you mean 'sensitive'"),
        ({**SETTINGS, "favourable": "LB__X"}, "favourable"),
        ({**SETTINGS, "favourable": {"column": "LB__X"}}, "exactly one of at_least, at_most, equals"),
        ({**SETTINGS, "favourable": {"column": "LB__X", "at_least": 1, "equals": ["a"]}}, "exactly one of"),
        ({**SETTINGS, "favourable": {"at_least": 1}}, "['column']: missing"),
        ({**SETTINGS, "favourable": {"column": "LB__X", "at_least": "median"}}, "at_least"),
        ({**SETTINGS, "favourable": {"column": "LB__X", "equals": []}}, "equals"),
        ({**SETTINGS, "sensitive": "DM_SEX"}, "did you mean 'DM__SEX'"),
        ({**SETTINGS, "sensitive": "USUBJID"}, "sensitive"),
        ({**SETTINGS, "strata": ["DM__AGE"]}, "fairness['strata']: gone since version 4.0.0; mantelhaen.test"),
        ({**SETTINGS, "reference": None}, "reference"),
        ({**SETTINGS, "reference": "\ud800"}, "reference"),
        ({**SETTINGS, "favourable": {"column": "LB__X", "equals": ["a", "\ud800"]}}, "equals"),
    ],
)
def test_faults_of_the_key(settings, words):
    assert any(words in fault for fault in faults_of_key("fairness", settings, {}, COLUMNS))


def test_a_group_that_nobody_has_is_a_fault_without_a_value_of_people(tmp_path):
    for changed in (
        {"reference": "X"},
        {"group": "X"},
        {"group": "M"},
        {"favourable": {"column": "DM__SEX", "at_least": 1}},
    ):
        with pytest.raises(FaultyInputError) as fault:
            run_step(step_input(tmp_path, people(50), {**SETTINGS, **changed}, key="fairness"))
        assert "'F'" not in str(fault.value)
    nobody = people(50).assign(LB__X=lambda table: table["LB__X"].where(table["DM__SEX"] == "M"))
    with pytest.raises(FaultyInputError, match="the sensitive group has nobody whose outcome is known"):
        run_step(step_input(tmp_path, nobody, SETTINGS, key="fairness"))


OF_NINETY = {
    "mean": {"favourable": {"column": "LB__X", "at_least": "mean"}, "sensitive": "DM__SEX", "reference": "M"},
    "limit": {"favourable": {"column": "LB__X", "at_most": 2.0}, "sensitive": "DM__ZIP", "reference": "11527"},
    "values": {
        "favourable": {"column": "SC__STATE", "equals": ["a", "b"]},
        "sensitive": "DM__AGE",
        "reference": "20--40",
        "group": "40--60",
    },
}


@pytest.mark.parametrize("way", OF_NINETY)
def test_all_figures_of_ninety_people(way):
    """Each relation of the favourable values; groups of a category, of few people and of bins."""
    assert changed_since_kept(f"fairness_{way}", outcome_of("fairness", OF_NINETY[way])) == {}
