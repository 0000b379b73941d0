"""A REDCap export as it leaves: folded columns for their parts, the dictionary cut, one pseudonym and offset."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest

from disclosure_control.release.deidentify import ReleasedStudy, deidentify
from disclosure_control.release.people import RecodedColumn, people_of
from disclosure_control.release.study import Study, read_study
from study.merge.combine import combine_domains
from study.merge.settings import MergeSettings
from study.merge.subject_ids import SubjectIdRule
from tests.places import PROJECT
from tests.release.release_referee import moved, offset_days, pseudonym
from tests.release.small_studies import KEY, RELEASE

DEMO = PROJECT / "pilot_report" / "REDCAP_DEMO"
RULE, SETTINGS = SubjectIdRule(column="participant"), MergeSettings()
SOURCE = pd.read_csv(DEMO / "data.csv", dtype=str)
RACES = [f"race___{code}" for code in "1234"]


@pytest.fixture(scope="module")
def combined() -> pd.DataFrame:
    return combine_domains(DEMO, RULE, SETTINGS).frame


@pytest.fixture(scope="module")
def as_it_is(combined) -> ReleasedStudy:
    return released(combined)


@cache
def read(ids: tuple[str, ...]) -> Study:
    return read_study(DEMO, pd.Series(ids, name="USUBJID"), RULE, SETTINGS)


def released(combined: pd.DataFrame, after: dict[str, pd.Series] | None = None) -> ReleasedStudy:
    """The demo without its first five people; ``after``: columns of the combined dataset as the treatment made them."""
    ids, stays = combined["USUBJID"], np.arange(len(combined)) >= 5
    recoded = {
        name: RecodedColumn(name, combined[name].astype(object).to_numpy(), fresh.astype(object).to_numpy())
        for name, fresh in (after or {}).items()
    }
    people = replace(people_of(ids, [], KEY, RELEASE, 365), stays=stays, recoded=recoded)
    return deidentify(read(tuple(ids)), people, [], KEY, RELEASE)


@pytest.mark.thorough("1.5 s")
def test_a_checkbox_that_was_not_recoded_leaves_as_it_came(as_it_is):
    study = as_it_is
    assert list(study.files) == ["DATA", "DICTIONARY", "EVENT"]
    frame = study.files["DATA"].frame
    assert set(RACES) < set(frame)
    assert "race" not in frame
    gone = {"first_name", "last_name", "dob", "email", "history"}
    assert set(SOURCE) - set(frame) == gone


def test_a_recoded_checkbox_leaves_as_one_column_in_place_of_its_parts(combined):
    race = combined["DATA__race"]
    after = race.where(race.isin(["White", "Black or African American"]), "another or several")
    study = released(combined, {"DATA__race": after})
    frame = study.files["DATA"].frame
    assert not set(RACES) & set(frame)
    assert frame.columns[list(frame).index("race") - 1] == "sex"  # where its parts stood
    assert frame["race"].value_counts().to_dict() == after.iloc[5:].value_counts().to_dict()
    assert study.unplaced == ()
    assert {one.variable: one.operation.reason for one in study.accounts if one.variable in RACES} == dict.fromkeys(
        RACES, "says, alone or with another one, what the treatment recoded"
    )


def test_of_a_recoded_choice_the_codes_whose_label_did_not_change_stay_in_every_row(combined):
    drug = combined["DATA__drug"].replace({"Metformin": "another", "Atorvastatin": "another"})
    frame = released(combined, {"DATA__drug": drug}).files["DATA"].frame
    rows = SOURCE[~SOURCE["participant"].isin(combined["USUBJID"].iloc[:5])]
    expected = rows["drug"].replace({"4": "another", "5": "another"})
    assert frame["drug"].value_counts().to_dict() == expected.value_counts().to_dict()
    assert rows.groupby("participant")["drug"].nunique().max() > 1
    keys = ["dose", "drug"]
    expected = rows.assign(drug=expected)[keys].dropna()
    assert sorted(frame[keys].dropna().itertuples(index=False)) == sorted(expected.itertuples(index=False))


def test_the_weight_goes_with_a_recoded_body_mass_index_and_each_event_gets_the_label_of_its_own_value(combined):
    """The index is calculated from weight and height, as its formula in the dictionary says."""
    edges, labels = [0, 25, 30, 35, 99], ["<25", "25--30", "30--35", ">=35"]

    def label_of(values: pd.Series) -> pd.Series:
        return pd.cut(values.astype(float), edges, right=False, labels=labels).astype("str")

    frame = released(combined, {"DATA__bmi": label_of(combined["DATA__bmi"])}).files["DATA"].frame
    assert "weight" not in frame
    assert "height" in frame
    rows = SOURCE[~SOURCE["participant"].isin(combined["USUBJID"].iloc[:5])]
    keys = ["redcap_event_name", "height", "systolic", "cholesterol"]
    expected = rows[keys].assign(bmi=label_of(rows["bmi"]))[rows["bmi"].notna()]
    assert sorted(frame[[*keys, "bmi"]].dropna().itertuples(index=False)) == sorted(expected.itertuples(index=False))


def test_the_dictionary_leaves_with_the_fields_that_leave_and_without_notes(combined):
    race = combined["DATA__race"].where(combined["DATA__race"] == "White", "another")
    words = released(combined, {"DATA__race": race}).files["DICTIONARY"].frame
    names = words["Variable / Field Name"].tolist()
    assert names == [
        *("participant", "consent_date", "age", "sex", "race", "smoker", "visit_date", "height", "weight", "bmi"),
        *("systolic", "cholesterol", "symptoms", "drug", "drug_start", "dose"),
    ]
    assert not {"Field Note", "Section Header", "Field Annotation"} & set(words)


def test_a_person_has_one_pseudonym_and_one_offset_in_all_rows(combined, as_it_is):
    """Both by the referee, from the key; every other cell that leaves is as it came."""
    frame = as_it_is.files["DATA"].frame
    named, days = (KEY, RELEASE.pilot, RELEASE.name), ("consent_date", "visit_date", "drug_start")
    expected = []
    for row in SOURCE[~SOURCE["participant"].isin(combined["USUBJID"].iloc[:5])].to_dict("records"):
        by = offset_days(*named, row["participant"])
        own = {name: moved(row[name], by) if name in days and isinstance(row[name], str) else row[name] for name in row}
        expected.append(own | {"participant": pseudonym(*named, row["participant"])})
    columns = list(frame)
    wanted = pd.DataFrame(expected)[columns].fillna("").to_numpy().tolist()
    assert sorted(frame.fillna("").to_numpy().tolist()) == sorted(wanted)
    assert frame["participant"].nunique() == 145
