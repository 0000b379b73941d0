"""What holds for every registered treatment; a new one is tested here, by its example, as soon as it is registered."""

from __future__ import annotations

import functools
import io
import json
import os

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_control.assess.assessment import Assessment, assess
from disclosure_control.basics.telling.small_counts import MASKED
from disclosure_control.remedy.treatments.registry import methods
from disclosure_control.remedy.treatments.treat import treat
from disclosure_control.remedy.treatments.treated_pilot import TreatedPilot
from disclosure_control.run.tables import csv_bytes
from disclosure_control.steps.treatment.figures import treatment_findings
from disclosure_control.steps.treatment.report import treatment_report
from tests.cases import quick
from tests.examples import examples
from tests.found import InSummary
from tests.remedy.treatments.treatment_examples import COLUMNS, CONFIG, EXAMPLES, RECOMMENDED, pilots
from tests.remedy.treatments.treatment_frames import KEY, config_for

METHODS = sorted(methods())
SOME = quick(9, METHODS[::3] + METHODS[1::3] + METHODS[2::3], "0.1 s each")
KEY_NAME = "PILOT_KEY"  # as in the examples of the treatments that need one
FEW = examples(6)


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv(KEY_NAME, KEY)


def step_of(method: str) -> dict:
    return {"method": method, **EXAMPLES[method].settings}


def treated_by(method: str, frame: pd.DataFrame, seed=1):
    return treat(frame, CONFIG, [step_of(method)], seed, recommended=RECOMMENDED)


@pytest.mark.thorough("0.3 s")
@pytest.mark.parametrize("method", METHODS)
@FEW
@given(frame=pilots(), data=st.data())
def test_promises_hold_changes_are_counted_and_any_order_of_rows_gives_the_same_bytes(method, frame, data):
    """One property of three parts, as each is about the same treated pilot."""
    treated = treated_by(method, frame)
    assert_promises_hold(method, frame, treated)
    assert_changes_are_counted(method, frame, treated)
    assert_same_in_any_order(method, frame, treated, data)


def assert_promises_hold(method, frame, treated):
    promises = EXAMPLES[method].promises
    out = treated.frame
    if "rows" in promises:
        assert treated.kept.tolist() == list(range(len(frame)))
    if "ids" in promises:
        assert out["USUBJID"].tolist() == frame["USUBJID"].iloc[treated.kept].tolist()
    if "types" in promises:
        for name in out.columns.intersection(frame.select_dtypes("number").columns):
            assert pd.api.types.is_numeric_dtype(out[name]), name
    results = {
        "k": [treated.assessment.k_anonymity],
        "l": treated.assessment.l_diversity.values(),
        "t": treated.assessment.t_closeness.values(),
    }
    for model in set(promises) & set(results):
        # Where all people together meet the threshold; otherwise nothing could be promised.
        if len(out) >= CONFIG.K and (model != "l" or out["LB__X"].nunique() >= CONFIG.L["LB__X"]):
            assert [result.n_risky for result in results[model]] == [0] * len(results[model])
    # Nothing else changes, whatever a treatment promises.
    for name in set(COLUMNS) - set(EXAMPLES[method].touches):
        pd.testing.assert_series_equal(out[name], frame[name].iloc[treated.kept])


def assert_changes_are_counted(method, frame, treated):
    (step,) = treated.steps
    assert step.n_records_removed == len(frame) - len(treated.frame) == treated.n_records_removed
    if method == "recommended":
        return  # two steps, whose counts are added up
    before = frame.iloc[treated.kept]
    for name in COLUMNS:
        if name in treated.frame:
            pairs = zip(before[name], treated.frame[name], strict=True)
            assert step.changed.get(name, 0) == sum(text(old) != text(new) for old, new in pairs), name


def text(value: object) -> str:
    return "" if pd.isna(value) else str(value).removesuffix(".0")


def assert_same_in_any_order(method, frame, first, data):
    order = data.draw(st.permutations(range(len(frame))))
    index = data.draw(st.sampled_from(["default", "repeated", "text"]))
    other = frame.iloc[order]
    other.index = {
        "default": range(len(frame)),
        "repeated": [7] * len(frame),
        "text": [f"row {i}" for i in range(len(frame))],
    }[index]
    untouched = other.copy(deep=True)
    second = treated_by(method, other)
    assert csv_bytes(first.released) == csv_bytes(second.released)
    assert sorted(np.array(order, dtype=int)[second.kept].tolist()) == first.kept.tolist()
    pd.testing.assert_frame_equal(other, untouched)
    assert first.assessment.k_anonymity.n_risky == second.assessment.k_anonymity.n_risky


@pytest.mark.parametrize("kind", ["str", "category", object])
def test_k_of_the_file_is_k_as_released(kind):
    """59 people with "1" and one with "1.0" are 60 alike only where the file says so."""
    frame = pd.DataFrame({
        "USUBJID": [f"P{i:02}" for i in range(60)],
        "GROUP": pd.Series(["1"] * 59 + ["1.0"], dtype=kind),
        "TOWN": pd.Series([" Volos", "Volos"] * 30, dtype=kind),
        "NOTE": pd.Series(["\u00e9", "e\u0301"] * 30, dtype=kind),
        "SHIFT": [0.0, -0.0] * 30,
    })  # fmt: skip
    treated = treat(frame, config_for(["GROUP", "TOWN"], ["SHIFT"], ["NOTE"]), [])
    file = pd.read_csv(io.BytesIO(csv_bytes(treated.released)), dtype=str)
    assert file.groupby(["GROUP", "TOWN", "NOTE", "SHIFT"]).size().tolist() == [60]
    assert treated.as_released.k_anonymity.worst == 60
    assert file["USUBJID"].tolist() == frame["USUBJID"].tolist()


@pytest.mark.parametrize("method", SOME)
def test_the_order_of_the_file_tells_nothing(method):
    """Rows stand by their new ids, or, where ids are gone, by their values; there are no row numbers."""
    frame, released = a_marked_pilot(), marked_and_treated(method).released
    assert released.index.equals(pd.RangeIndex(len(released)))
    assert released["USUBJID"].tolist() == sorted(released["USUBJID"])
    without = treat(
        frame, CONFIG, [step_of(method), {"method": "drop_column", "columns": ["USUBJID"]}], recommended=RECOMMENDED
    )
    assert "USUBJID" not in without.released
    shuffled = without.released.sample(frac=1, random_state=3).reset_index(drop=True)
    again = treat(shuffled, CONFIG, []).released
    assert csv_bytes(again) == csv_bytes(without.released)  # the order is a function of what is released


def a_pilot(n: int) -> pd.DataFrame:
    generator = np.random.default_rng(5)
    return pd.DataFrame(
        {
            "USUBJID": pd.Series([f"S-{i:03d}" for i in range(n)], dtype="str"),
            "DM__SEX": pd.Series(generator.choice(["F", "M"], n), dtype="str"),
            "DM__ZIP": pd.Series(generator.choice(["11527", "45110"], n), dtype="str"),
            "DM__AGE": generator.integers(20, 80, n).astype(float),
            "LB__X": generator.integers(0, 9, n) / 2,
            "VS__W": pd.Series(generator.integers(40, 99, n).astype(str), dtype="str"),
            "DM__RFSTDTC": pd.Series(generator.choice(["2012-01-31", "2010-04"], n), dtype="str"),
            "DM__SUBJID": pd.Series(np.arange(n).astype(str), dtype="str"),
            "SC__STATE": pd.Series(generator.choice(["a", "b", "c"], n), dtype="str"),
        }
    )


@functools.cache
def a_marked_pilot() -> pd.DataFrame:
    """Forty people, the last first, whose ids and one category are markers."""
    ids, states = [f"IDMARKER{i:02d}" for i in range(40)], ["CATMARKER", "OTHERMARKER"] * 20
    return a_pilot(40).assign(USUBJID=pd.Series(ids, dtype="str"), SC__STATE=pd.Series(states, dtype="str")).iloc[::-1]


@functools.cache
def as_it_came() -> Assessment:
    return assess(a_marked_pilot(), CONFIG)


@functools.cache
def marked_and_treated(method: str) -> TreatedPilot:
    """Treated once for the tests that look at different sides of it."""
    return treated_by(method, a_marked_pilot())


@pytest.mark.parametrize("method", SOME)
def test_another_seed_gives_another_file_where_chance_is_drawn(method):
    first, second = marked_and_treated(method), treated_by(method, a_marked_pilot(), seed=2)
    assert (csv_bytes(first.released) != csv_bytes(second.released)) == first.steps[0].used_chance


SUPPRESSING = ["suppress_records", "suppress_cells", "drop_column", "local_suppression"]


@pytest.mark.thorough("0.3 s")
@pytest.mark.parametrize("method", SUPPRESSING)
@pytest.mark.parametrize("replacement", ["missing", "*"])
def test_a_suppressed_value_survives_nowhere(method, replacement):
    """One person alone in a class, whose every quasi-identifier is a marker: none is in any result afterwards."""
    frame = a_pilot(40)
    frame.loc[11, ["DM__ZIP", "DM__SEX"]] = ["ZIPMARKER", "SEXMARKER"]
    frame.loc[11, "DM__AGE"] = 77.125
    frame[["DM__SEX", "DM__ZIP"]] = frame[["DM__SEX", "DM__ZIP"]].astype("category")
    step = step_of(method)
    if method == "suppress_cells":
        step["replacement"] = replacement
    if method == "drop_column":
        step["columns"] = ["DM__SEX", "DM__ZIP", "DM__AGE"]
    config = CONFIG
    treated = treat(frame, config, [step])
    figures = InSummary(treatment_findings(assess(frame, config), treated, frame)(MASKED))
    seen = [csv_bytes(treated.released).decode(), json.dumps(figures), treatment_report(figures.found)]
    seen += [str(list(column.cat.categories)) for _, column in treated.frame.select_dtypes("category").items()]
    for assessment in (treated.assessment, treated.as_released):
        seen += [str(list(labels)) for labels in assessment.classes.labels]
    # Local suppression leaves an age that many share in the config's bins.
    markers = ("ZIPMARKER", "SEXMARKER", "77.125")[: 2 if method == "local_suppression" else 3]
    for marker in markers:
        assert not [text for text in seen if marker in text]


@pytest.mark.parametrize("method", SOME)
@pytest.mark.parametrize("n", [0, pytest.param(1, marks=pytest.mark.thorough("1 s for all"))])
def test_empty_and_one_record_frames(method, n):
    treated = treated_by(method, a_pilot(n))
    assert len(treated.frame) <= n
    figures = InSummary(treatment_findings(assess(a_pilot(n), CONFIG), treated, a_pilot(n))(MASKED))
    assert treatment_report(figures.found)
    json.dumps(figures, allow_nan=False)


@pytest.mark.thorough("0.4 s")
@pytest.mark.parametrize("method", METHODS)
def test_no_id_no_value_and_no_key_in_what_is_said(method):
    """Notes, counts and the report hold names of columns and numbers; ids, categories and keys are not among them."""
    treated = marked_and_treated(method)
    figures = InSummary(treatment_findings(as_it_came(), treated, a_marked_pilot())(MASKED))
    said = json.dumps(figures) + treatment_report(figures.found)
    assert "MARKER" not in said
    assert os.environ[KEY_NAME] not in said + csv_bytes(treated.released).decode()
