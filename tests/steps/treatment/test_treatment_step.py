"""The step ``treatment``: its key, its files, before beside after, and what must be said aloud."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from disclosure_control.assess.assessment import assess
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.basics.telling.small_counts import MASKED
from disclosure_control.remedy.treatments.keys import command_to_set
from disclosure_control.remedy.treatments.treat import treat
from disclosure_control.steps.treatment.figures import treatment_findings
from disclosure_control.steps.treatment.report import treatment_report
from tests.cases import each
from tests.config_keys import faults_of_key
from tests.found import InSummary
from tests.kept import changed_since_kept
from tests.ninety_people import outcome_of
from tests.remedy.treatments.treatment_frames import KEY_NAME, config_for
from tests.run.synthetic_pilot import INPUT_AT_FAULT

# ---------------------------------------------------------------- the config key


@each(
    ("value", "words"),
    [
        ("bins", 'a list of {"method": ..., settings}, or a dictionary of steps, seed'),
        ({"seed": 1}, "treatment['steps']: missing"),
        (["bins"], 'found no dictionary with a "method"'),
        ([{"method": "bin", "column": "a"}], "did you mean 'bins'?"),
        ([{"method": "band", "column": "a"}], "band['width']: missing; allowed: a number above 0"),
        ([{"method": "band", "columns": ["a"], "column": "a", "width": 1}], "unknown key 'columns'"),
        ([{"method": "band", "column": "b", "width": 1}], "'b' is not in the dataset"),
        ([{"method": "bins", "column": "a", "edges": [2, 1]}], "each larger than the last"),
        ([{"method": "top_code", "column": "a", "limit": 1, "quantile": 0.5}], "can be one person's value"),
        ([{"method": "group", "column": "a"}], 'allowed: "groups", "rarer_than"'),
        ([{"method": "group", "column": "a", "groups": {"x": ["1", 1.0]}}], "each old value in one group"),
        ([{"method": "group", "column": "a", "groups": {"x": ["1"], "y": []}}], "each old value in one group"),
        ([{"method": "hierarchy", "column": "a", "level": 1}], 'one of "file" and "rule"'),
        ([{"method": "hierarchy", "column": "a", "level": 1, "rule": {"intervals": [2, 5]}}], "multiple of the one"),
        ([{"method": "suppress_records", "models": ["m"]}], 'a list of "k", "l" and "t"'),
        ([{"method": "pram", "column": "a", "strata": ["c"]}], "pram['strata']: column 'c'"),
        (
            [{"method": "noise", "columns": ["a"], "share": 0.1, "kind": "outliers"}],
            'gone since version 4.0.0; "plain" adds noise',
        ),
        ([{"method": "recommended"}], 'add "recommend": {} to the config'),
        ({"release": "a/b", "steps": []}, "treatment['release']: found 'a/b'; allowed: a name of letters"),
        ({"join": {"release": "2026-03", "file": "a.csv"}, "steps": []}, '"earlier" under release names'),
        ([{"method": "drop_column", "columns": ["a"]}, {"method": "mask", "column": "a", "keep": 1}], "at this step"),
    ],
)
def test_faults_of_the_key(value, words):
    (fault,) = faults_of_key("treatment", value, {}, ["a"])
    assert words in fault
    assert fault.startswith("treatment")


def test_no_config_names_a_value_of_a_person_in_a_fault():
    with pytest.raises(FaultyInputError) as error:
        treat(
            pd.DataFrame({"a": ["AGEMARKER", "7"]}), config_for(["a"]), [{"method": "band", "column": "a", "width": 5}]
        )
    assert "MARKER" not in str(error.value)
    assert "fewer than 10 of 2 values are text" in str(error.value)


# ---------------------------------------------------------------- before beside after


def small() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "USUBJID": list("abcdefgh"),
            "sex": ["F", "F", "F", "F", "M", "M", "M", "M"],
            "age": [21.0, 22, 23, 24, 31, 32, 33, 58],
            "dose": [1.0, 2, 1, 2, 1, 2, 1, 2],
            "note": list("pqpqpqpq"),
        }
    )


SMALL = config_for(["sex"], ["age"], ["dose"], K=2, L=2, T=0.25, binning_config={"age": [20, 30, 40, 60]})


def figures_of(*steps, frame=None, config=SMALL) -> dict:
    frame = small() if frame is None else frame
    treated = treat(frame, config, steps)
    figures = InSummary(treatment_findings(assess(frame, config), treated, frame)(MASKED))
    assert json.loads(json.dumps(figures, allow_nan=False)) == figures
    return figures


def test_before_beside_after_by_hand():
    """Bins 20--30 (4 women), 30--40 (3 men), 40--60 (one man alone); without the bins everybody is alone."""
    figures = figures_of({"method": "suppress_records"})
    before, after, released = (figures[view] for view in ("before", "after", "as_released"))
    assert [view["records"] for view in (before, after, released)] == [8, 7, 7]
    assert (before["k_anonymity"]["risky"], before["k_anonymity"]["minimum"]) == (1, 1)
    assert (after["k_anonymity"]["risky"], after["k_anonymity"]["minimum"]) == (0, 3)
    assert (released["k_anonymity"]["risky"], released["k_anonymity"]["minimum"]) == (7, 1)
    assert before["unique_rate"] == pytest.approx(1 / 8)
    assert before["marketer_risk"] == pytest.approx(3 / 8)
    assert (before["prosecutor_highest_risk"], after["prosecutor_highest_risk"]) == (1.0, pytest.approx(1 / 3))
    assert after["marketer_risk"] == pytest.approx(2 / 7)
    assert released["marketer_risk"] == 1.0
    assert (before["l_diversity"]["dose"]["risky"], after["l_diversity"]["dose"]["risky"]) == (1, 0)
    # The one alone has dose 2 where all have 1.5 on average: distance 1/2 in the unit of the dose.
    assert before["t_closeness"]["dose"]["maximum"] is None
    assert before["t_closeness"]["dose"]["maximum_between"] == [0.25, 0.5]
    assert figures["finer_than_assessed"] == ["age"]
    assert figures["records_removed"] == 1
    text = treatment_report(figures.found)
    assert "Records removed: 1 of 8 (12.5%)." in text
    assert "personal data" in text


def test_what_is_released_in_the_config_s_bins_is_as_it_is_assessed():
    figures = figures_of({"method": "bins", "column": "age", "edges": [20, 30, 40, 60]})
    assert figures["finer_than_assessed"] == []
    assert figures["after"] == figures["as_released"]
    assert figures["after"]["k_anonymity"] == figures["before"]["k_anonymity"]
    # A band by midpoint stays a number: seen through the bins it is what it was, and no finer.
    midpoints = figures_of({"method": "band", "column": "age", "width": 10, "label": "midpoint"})
    assert midpoints["finer_than_assessed"] == []


@pytest.mark.thorough("0.4 s")
def test_missing_values_are_counted_among_the_records_that_are_kept():
    """Twenty of each of eight: counts of people that are not small, and of a single one that are."""
    frame = small().assign(note=[None, "q", None, "q", "p", "q", "p", None])
    many = pd.concat([frame] * 20, ignore_index=True).assign(USUBJID=lambda table: table.index.astype(str))
    config = config_for(["sex"], ["age"], ["dose"], K=21, L=2, T=0.25, binning_config={"age": [20, 30, 40, 60]})
    figures = figures_of({"method": "suppress_records"}, frame=many, config=config)
    assert figures["missing_of_kept"]["note"] == [40, 40]
    starred = figures_of({"method": "suppress_cells"}, frame=many, config=config)
    assert starred["missing_of_kept"]["age"] == [0, 80]  # the man alone, and the three men who join him, twenty times
    few = figures_of({"method": "suppress_cells"})
    assert few["missing_of_kept"]["age"] == [None, None]
    assert few["steps"][0]["changed"]["age"] is None
    assert "cells changed: sex masked, age masked" in treatment_report(few.found)


def test_what_is_released_as_it_was_is_named_and_what_it_tells():
    frame = pd.DataFrame({"sex": ["F", "M"] * 10, "age": 30.0, "dose": 1.0, "title": ["Mrs", "Mr"] * 10, "note": "x"})
    figures = figures_of({"method": "drop_column", "columns": ["sex"]}, frame=frame)
    assert figures["untouched"] == ["title", "note"]
    by = {"variable": "title", "says": "the column title", "people_told": 20}
    told = {"tells": "sex", "people_told": 20, "people_changed": 20, "by": [by], "within": None}
    assert figures["telling"]["told"] == [told]
    sentence = (
        "Released columns disclose the original sex for 20 of 20 people whose value was changed or dropped, by the"
    )
    assert f"{sentence} column title (for 20)." in treatment_report(figures.found)


def test_kept_are_positions_in_the_frame_that_was_treated():
    frame = small().iloc[[7, 3, 0, 5, 1, 6, 2, 4]]
    treated = treat(frame, SMALL, [{"method": "suppress_records"}])
    assert frame.iloc[treated.kept]["USUBJID"].tolist() == treated.frame["USUBJID"].tolist()
    assert 0 not in treated.kept  # h, aged 58, stood first


def test_recommended_steps_are_applied_one_after_the_other():
    steps = [{"method": "band", "column": "age", "width": 20}, {"method": "suppress_records"}]
    by_name = treat(small(), SMALL, [{"method": "recommended"}], recommended=steps)
    pd.testing.assert_frame_equal(by_name.frame, treat(small(), SMALL, steps).frame)
    assert by_name.steps[0].n_records_removed == by_name.n_records_removed == 1
    assert by_name.steps[0].changed == {"age": 8}
    with pytest.raises(FaultyInputError, match="recommend"):
        treat(small(), SMALL, [{"method": "recommended"}])


def test_what_was_dropped_before_is_not_recoded_as_recommended():
    steps = [{"method": "band", "column": "age", "width": 20}, {"method": "group", "column": "sex", "rarer_than": 9}]
    drop = {"method": "drop_column", "columns": ["age"]}
    treated = treat(small(), SMALL, [drop, {"method": "recommended"}], recommended=steps)
    assert "age" not in treated.frame
    assert any("already dropped, so no longer needed: age" in note for note in treated.steps[1].notes)
    assert treated.steps[1].changed["sex"] == 8


# ---------------------------------------------------------------- through the door


def test_the_door_names_a_missing_key_before_it_runs(pilot, doors):
    pilot.configure(treatment=[{"method": "recode_ids", "key_from": {"environment": KEY_NAME}}])
    run = doors.start(2)
    assert run.status == INPUT_AT_FAULT
    assert run.fault_lines == [
        f"CLINIC: treatment[0] recode_ids['key_from']: {KEY_NAME}, the named environment variable, is not set; "
        f"set it before the run; {command_to_set(KEY_NAME)}, or name a file"
    ]
    assert not (pilot.results / "anonymised_dataset.csv").exists()


OF_NINETY = {
    "cells": [{"method": "suppress_cells"}, {"method": "flip", "column": "DM__SEX", "share": 0.3}],
    "records": {"seed": 3, "steps": [{"method": "suppress_records", "models": ["k", "l", "t"]}]},
    "identifiers": [{"method": "drop_identifiers"}, {"method": "coarsen_dates", "column": "DM__RFSTDTC", "to": "year"}],
    "ids": [{"method": "drop_column", "columns": ["USUBJID", "LB__X"]}, {"method": "local_suppression"}],
}


@pytest.mark.parametrize("way", OF_NINETY)
def test_all_figures_of_ninety_people(way):
    """Before beside after, the attack on what leaves, and why it must not, for both readers."""
    assert changed_since_kept(f"treatment_{way}", outcome_of("treatment", OF_NINETY[way])) == {}
