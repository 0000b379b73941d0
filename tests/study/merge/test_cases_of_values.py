"""The shared inputs whose numbers, units, codes and dates are easily misunderstood: what the merge makes of each."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from config import parse_config
from config.model_settings import config_of_valid_keys
from Create_Combined_Pilot_Dataset import merge_settings
from disclosure_control.assess.assessment import assess
from study.merge.combine import Combined, combine_domains
from study.merge.reading import read_tables_to_merge
from study.models.roles import Role
from tests.cases import each
from tests.places import SHARED

CASES = SHARED / "cases"
pytestmark = [
    pytest.mark.skipif(not CASES.is_dir(), reason="the shared cases are not beside the project"),
    pytest.mark.thorough("merges 28 small pilots, in 20 s"),
]


def settings_of(case: str):
    """The literal of a case, and its rules of the merge; by the first column for those that a draft would be for."""
    config = CASES / case / "config.py"
    if config.exists():
        literal = parse_config(config.read_text(), case)
    elif (CASES / case / "in" / "dm.csv").exists():
        literal = {}
    else:
        literal = {"subject_id": {"column": "record_id" if case.startswith("redcap") else "patient_id"}}
    return literal, *merge_settings(literal)


def merged(case: str) -> tuple[Combined, str]:
    _, rule, settings = settings_of(case)
    combined = combine_domains(CASES / case / "in", rule, settings)
    return combined, " ".join(note for file in combined.report["inputs"].values() for note in file["notes"])


def table(case: str, domain: str):
    _, rule, settings = settings_of(case)
    tables, model = read_tables_to_merge(CASES / case / "in", rule, settings)
    return next(one for one in tables if one.domain == domain).frame, model


@each(
    "case, domain, column, n",
    [
        ("sentinel_12", "AE", "AEENDTC", 12),
        ("sentinel_endy", "AE", "AEENDY", 12),
        ("sentinel1900_12", "AE", "AEENDTC", 12),
        ("flat_999", "PATIENTS", "age", 6),
        ("rel_999_exact", "PATIENTS", "age", 6),
        ("redcap_minus99", "DATA", "sex", 3),
    ],
)
def test_codes_for_missing_are_missing_and_reported_with_the_setting(case, domain, column, n):
    frame, _ = table(case, domain)
    assert frame[column].isna().sum() >= n
    assert f'"{domain}__{column}": {{"kept": [' in merged(case)[1]


@each("case", ["fine_genotype", "fine_scale", "fine_ck", "fine_na", "fine_none", "fine_old_births"])
def test_controls_keep_every_value_and_nobody_is_asked(case):
    frame, _ = table(case, "PATIENTS")
    written = pd.read_csv(CASES / case / "in" / "patients.csv", dtype=str, keep_default_na=False)
    assert frame.astype(str).equals(written.astype(frame.dtypes.iloc[0]).astype(str))
    assert "missing, because" not in merged(case)[1]
    assert "decide" not in merged(case)[1]


@each("case", ["ageu_one_infant", "flow_ageu", "ageu_draft"])
def test_ages_are_of_one_unit(case):
    frame, _ = table(case, "DM")
    written = pd.read_csv(CASES / case / "in" / "dm.csv")
    years = written["AGE"] / written["AGEU"].map({"YEARS": 1, "MONTHS": 12})
    np.testing.assert_allclose(frame["AGE"].astype(float), years, atol=1e-4)
    assert set(frame["AGEU"]) == {"YEARS"}


@each("case", ["ldiv_spellings", "ldiv_unknown"])
def test_spellings_and_words_for_missing_are_no_variety(case):
    literal, *_ = settings_of(case)
    literal = {key: value for key, value in literal.items() if key not in ("release", "subject_id")}
    combined, _ = merged(case)
    found = assess(combined.frame, config_of_valid_keys(literal)).l_diversity["PATIENTS__dx"]
    assert found.of_class.min() == 1


@each(
    "case, columns",
    [("flat_rnum_adm", ["admitted"]), ("daynum_headings", ["admitted", "Aufnahme", "relapse", "died", "randomised"])],
)
def test_numbers_that_may_be_dates_stay_here(case, columns):
    _, model = table(case, "PATIENTS")
    assert {model.tables["PATIENTS"].columns[name].role for name in columns} == {Role.UNKNOWN}
    assert "numbers that may be dates" in merged(case)[1]


def test_months_of_stata_are_dates():
    assert table("stata_tm_start", "PATIENTS")[0]["start"].str.fullmatch(r"20\d\d-\d\d").all()


@each("case", ["thousands_k_declared", "thousands_release"])
def test_thousands_are_no_decimals(case):
    assert set(table(case, "PATIENTS")[0]["income"]) == {"1250", "2345"}


@each(
    "case, column", [("birth_h_data_nascimento", "data_nascimento"), ("birth_h_Birth", "Birth"), ("birth_h_geb", "geb")]
)
def test_a_birth_is_known_by_its_distance_to_the_visits(case, column):
    _, model = table(case, "PATIENTS")
    assert model.tables["PATIENTS"].columns[column].role is Role.BIRTH


@each("case, domain, column", [("sdtm_yyyymmdd", "AE", "AESTDTC"), ("reldate_ddmonyy", "MEDICATIONS", "visit_date")])
def test_further_forms_are_read(case, domain, column):
    assert table(case, domain)[0][column].str.fullmatch(r"20\d\d-\d\d-\d\d").all()


def test_a_limit_of_fhir_is_no_number():
    results = merged("fhir_obs")[0].frame["OBSERVATION__Cholesterol [mg/dL]"].dropna().astype(str)
    assert "<105" in set(results)
    assert "105" not in set(results)
