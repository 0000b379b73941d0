"""Cases for a motivated intruder: drawn from what leaves, the same in any order of the records, and what came back."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pandas as pd
import pytest

from disclosure_control.steps.intruder.draw import HIGHEST, RANDOM, drawn_cases
from tests.cases import each
from tests.config_keys import faults_of_key
from tests.run.synthetic_pilot import DONE, leaks

RESULT = {"named": 2, "right": 0, "by": "a journalist", "on": "2026-03-01"}
STUDY = {
    "treatment": [{"method": "drop_column", "columns": ["VS__BMI"]}],
    "release": {"key_from": {"environment": "KEY_OF_THIS_TEST"}},
}


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("KEY_OF_THIS_TEST", "a key of this test alone, 0123456789 abcdefghij")


def people_alike(sizes: list[int], order=None) -> pd.Series:
    """People in classes of these sizes, by ids that say nothing of their class."""
    alike = np.repeat(sizes, sizes)
    found = pd.Series(alike, index=[f"p{(7919 * i) % 100_003}" for i in range(len(alike))])
    return found if order is None else found.iloc[order]


def test_half_have_the_fewest_alike_and_the_others_are_drawn_from_the_rest():
    drawn = drawn_cases(people_alike([1, 1, 2, 300, 400]), 10, 1)
    assert drawn["case"].tolist() == list(range(1, 11))
    by_kind = drawn.groupby("drawn")["people_alike"].apply(sorted).to_dict()
    assert by_kind[HIGHEST] == [1, 1, 2, 2, 300]
    assert len(by_kind[RANDOM]) == 5
    assert drawn["USUBJID"].is_unique
    assert set(by_kind[RANDOM]) <= {300, 400}


def test_order_of_records_decides_nothing_and_another_seed_draws_others():
    sizes = [1] * 30 + [50, 60]
    first = drawn_cases(people_alike(sizes), 12, 5)
    shuffled = drawn_cases(people_alike(sizes, np.random.default_rng(0).permutation(140)), 12, 5)
    pd.testing.assert_frame_equal(first, shuffled)
    assert set(first["USUBJID"]) != set(drawn_cases(people_alike(sizes), 12, 6)["USUBJID"])


@pytest.mark.thorough("400 draws: 3 seconds")
def test_everybody_is_drawn_about_as_often():
    """Random cases over 400 seeds: each of 40 people of one class is drawn 2 of 40 times, within what chance gives."""
    counts: dict[str, int] = {}
    people = people_alike([40])
    for seed in range(400):
        for one in drawn_cases(people, 4, seed)["USUBJID"]:
            counts[one] = counts.get(one, 0) + 1
    # 40 each are expected, with a deviation of 6; 40 people beyond five deviations are not.
    assert len(counts) == 40
    assert 10 < min(counts.values()) <= max(counts.values()) < 70


def test_no_more_people_are_drawn_than_there_are():
    assert len(drawn_cases(people_alike([1, 2]), 20, 1)) == 3


@each(
    "settings, fault",
    [
        ({"cases": 5, "result": RESULT | {"named": 6}}, "6 named cases of 5"),
        ({"result": RESULT | {"right": 3}}, "found 3, and 2 cases were named"),
        ({"cases": 0}, "cases"),
    ],
)
def test_results_that_cannot_be_are_faults(settings, fault):
    assert any(fault in one for one in faults_of_key("intruder", settings))


def test_a_run_writes_cases_form_and_protocol(pilot, doors):
    pilot.configure(**STUDY, intruder={"cases": 4})
    assert doors.start(2).status == DONE
    rows = list(csv.DictReader(io.StringIO((pilot.results / "intruder_cases.csv").read_text(encoding="utf-8"))))
    released = (pilot.results / "released" / "DM.csv").read_text(encoding="utf-8")
    assert len(rows) == 4
    assert all(row["USUBJID"] and row["USUBJID"] in released for row in rows)
    assert not any(row["USUBJID"] in pilot.combined.read_text(encoding="utf-8") for row in rows)
    form = list(csv.DictReader(io.StringIO((pilot.results / "intruder_form.csv").read_text(encoding="utf-8"))))
    assert [(row["case"], row["USUBJID"]) for row in form] == [(row["case"], row["USUBJID"]) for row in rows]
    assert "people_alike" not in form[0]
    protocol = (pilot.results / "intruder_protocol.txt").read_text(encoding="utf-8")
    assert leaks(protocol) == []
    assert "4 numbered cases" in protocol
    report = (pilot.results / "evidence" / "anonymisation_report.md").read_text(encoding="utf-8")
    assert "Nobody has tried yet." in report


@each("right, holds", [(0, False), (1, True)])
def test_a_right_name_is_a_reason_to_hold(pilot, doors, right, holds):
    pilot.configure(**STUDY, intruder={"cases": 4, "result": RESULT | {"right": right}})
    assert doors.start(2).status == DONE
    summary = json.loads((pilot.results / f"{pilot.name}_privacy_summary.json").read_text(encoding="utf-8"))
    assert (
        any(
            "named at least one of the drawn people rightly" in one["sentence"] for one in summary["verdict"]["reasons"]
        )
        == holds
    )
    # By Wilson 1927: 0 of 4 is within 0 to z^2 / (4 + z^2).
    assert summary["intruder"]["somebody_named"] is holds
    assert summary["intruder"].get("right_rate") == (None if holds else 0)
    report = (pilot.results / "evidence" / "anonymisation_report.md").read_text(encoding="utf-8")
    assert ("at least one and fewer than 10 of them rightly" in report) == holds
    if not right:
        assert summary["intruder"]["right_between"][1] == pytest.approx(1.959964**2 / (4 + 1.959964**2), abs=1e-4)


def test_where_nothing_leaves_nobody_is_drawn(pilot, doors):
    pilot.configure(intruder={})
    assert doors.start(2).status == DONE
    assert not (pilot.results / "intruder_cases.csv").exists()
