"""The tables of the CDISC pilot study, SDTM and ADaM: published figures, and the same by a few lines of pandas."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from disclosure_control.study_tables.registry import study_tables
from disclosure_control.study_tables.side import StudySide
from tests.places import SHARED_DATA
from tests.study_tables.sides import row, side_in

ARMS = ("Placebo", "Xanomeline High Dose", "Xanomeline Low Dose")
SDTM, ADAM = SHARED_DATA / "cdiscpilot01", SHARED_DATA / "adam"


@pytest.fixture(scope="module")
def sdtm():
    if not SDTM.is_dir():
        pytest.skip("the public study is not at hand")
    side, frames = side_in(SDTM)
    return side, study_tables(side), frames


@pytest.fixture(scope="module")
def adam():
    if not ADAM.is_dir():
        pytest.skip("the public analysis data sets are not at hand")
    side, frames = side_in(ADAM)
    return side, study_tables(side), frames


def of_arms(frames: dict[str, pd.DataFrame], name: str, arm: str = "ARM") -> pd.DataFrame:
    """The rows of a domain with everybody's arm, without those who failed the screening."""
    arms = frames["DM"].loc[frames["DM"]["ARM"] != "Screen Failure", ["USUBJID", arm]].rename(columns={arm: "ARM"})
    return frames[name].merge(arms, on="USUBJID", suffixes=("_", ""))


@pytest.mark.thorough("1.7 s")
def test_the_people_of_each_arm_are_those_of_the_report(sdtm):
    """The study report, table 14-1.01: 254 randomised, 86 to placebo, 84 to each dose."""
    side, _, _ = sdtm
    assert side.arms == ARMS
    assert side.people_in_arms.tolist() == [86, 84, 84]


def test_demographics_are_those_of_the_report(sdtm):
    """Table 14-2.01: mean age 75.2, 74.4 and 75.7; women 53, 40 and 50; white 78, 74 and 78."""
    _, tables, _ = sdtm
    age, shares = tables["demographics_means.DM"], tables["demographics.DM"]
    np.testing.assert_allclose(age.value[row(age, "AGE")], [75.2, 74.4, 75.7], atol=0.05)
    deviation = age.error * np.sqrt(age.n)
    np.testing.assert_allclose(deviation[row(age, "AGE")], [8.59, 7.89, 8.29], atol=0.005)
    assert shares.n[row(shares, "F", "SEX")].tolist() == [53, 40, 50]
    assert shares.n[row(shares, "WHITE", "RACE")].tolist() == [78, 74, 78]


def test_disposition_is_that_of_the_report(sdtm):
    """Table 14-1.02: completed 58, 27 and 25; stopped for an adverse event 8, 40 and 44."""
    _, tables, _ = sdtm
    found = tables["disposition.DS"]
    assert found.n[row(found, "COMPLETED")].tolist() == [58, 27, 25]
    assert found.n[row(found, "ADVERSE EVENT")].tolist() == [8, 40, 44]
    assert found.n.sum(axis=0).tolist() == [86, 84, 84]  # everybody ended once


@pytest.mark.thorough("1 s: whole public exports; every form by small ones in the quick run")
def test_people_with_emergent_events_are_those_of_the_report(adam):
    """Table 14-5.01: any treatment-emergent adverse event in 65 (76%), 76 (90%) and 77 (92%) people.

    ADSL counts those of the high dose who stopped in its first weeks, at the low one, with the high dose; the ACTARM
    of SDTM does not.
    """
    _, tables, _ = adam
    found = next(table for table in tables.values() if table.name == "adverse_events")
    assert found.n[row(found, "Adverse event since treatment began")].tolist() == [65, 76, 77]
    assert np.round(100 * found.value[row(found, "Adverse event since treatment began")]).tolist() == [76, 90, 92]


def baselines(rows: pd.DataFrame, people: pd.DataFrame) -> pd.DataFrame:
    """The flagged rows of each person and test; without one, the last on or before the day of the first dose."""
    keys = ["USUBJID", "LBTESTCD"]
    flagged = rows[rows["LBBLFL"] == "Y"]
    others = rows.merge(flagged[keys].drop_duplicates(), on=keys, how="left", indicator=True)
    others = others[others["_merge"] == "left_only"].merge(people[["USUBJID", "RFXSTDTC"]], on="USUBJID")
    others = others[others["LBDTC"].str[:10] <= others["RFXSTDTC"].str[:10]]
    last = others[others["LBDTC"] == others.groupby(keys)["LBDTC"].transform("max")]
    return pd.concat([flagged, last])


def test_exposure_is_that_which_pandas_counts(sdtm):
    _, tables, frames = sdtm
    doses, found = of_arms(frames, "EX", "ACTARM"), tables["exposure.EX"]
    ends = doses.assign(**{name: pd.to_datetime(doses[name]) for name in ("EXSTDTC", "EXENDTC")})
    spans = ends.groupby(["USUBJID", "ARM"]).agg(first=("EXSTDTC", "min"), last=("EXENDTC", "max"))
    days = ((spans["last"] - spans["first"]).dt.days + 1).groupby("ARM")
    np.testing.assert_allclose(found.value[0], days.mean().reindex(ARMS))
    np.testing.assert_allclose(found.error[0], days.sem().reindex(ARMS))


def test_shifts_are_those_that_pandas_counts(sdtm):
    _, tables, frames = sdtm
    rows, found = of_arms(frames, "LBCH"), tables["shifts.LB"]
    rows = rows[rows["LBNRIND"].notna()].assign(is_outside=rows["LBNRIND"] != "NORMAL")
    rows = rows.sort_values(["VISITNUM", "is_outside", "LBNRIND"])
    keys = ["USUBJID", "ARM", "LBTESTCD"]
    base = baselines(rows, frames["DM"]).sort_values(["is_outside", "LBNRIND"]).groupby(keys)
    base = base.agg(first=("LBNRIND", "last"), until=("VISITNUM", "max"))
    after = rows[rows["VISITNUM"] % 1 == 0].merge(base, on=keys)
    after = (
        after[after["VISITNUM"] > after["until"]].groupby(keys).agg(first=("first", "last"), last=("LBNRIND", "last"))
    )
    by_pandas = after.reset_index().groupby(["LBTESTCD", "first", "last", "ARM"])["USUBJID"].nunique()
    for (test, first, last, arm), n in by_pandas.items():
        assert found.n[row(found, f"{test}: {first} to {last}"), ARMS.index(arm)] == n


@pytest.mark.thorough("0.5 s")
def test_times_to_an_event_of_adam_are_tested_as_published(adam):
    """Log-rank of time to the first dermatologic event, table 14-7.01: p below 0.0001."""
    _, tables, _ = adam
    found = tables["time_to_event.ADTTE.TTDE"]
    assert found.p_value < 0.0001
    assert found.of[0].tolist() == [86, 84, 84]


def test_no_table_depends_on_the_order_of_rows(sdtm):
    side, tables, _ = sdtm
    rng = np.random.default_rng(0)
    shuffled = {}
    for name, rows in side._domains.items():
        for number, part in enumerate(rows.parts):
            order = rng.permutation(len(part.people))
            frame = part.frame.iloc[order].reset_index(drop=True)
            shuffled[f"{name}{number}"] = type(part)(frame, part.people[order])
    domains = {f"{name}{number}": name for name, rows in side._domains.items() for number in range(len(rows.parts))}
    model = side.model.__class__(**{**vars(side.model), "domain_of_data_set": domains})
    again = study_tables(StudySide(shuffled, model, side.there))
    assert list(again) == list(tables)
    for key, table in tables.items():
        assert again[key].rows == table.rows, key
        for array in ("n", "value", "error"):
            assert getattr(again[key], array).tobytes() == getattr(table, array).tobytes(), (key, array)
