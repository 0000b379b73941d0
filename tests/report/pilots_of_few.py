"""Small pilots whose every kind of oddity concerns one to nine people or records: what a report may not count."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from tests.places import PROJECT

KEY_NAME = "FEW_PILOTS_KEY"
KEY_FROM = {"environment": KEY_NAME}
N = 90
STEPS = {"risk": "all", "explore": {"figures": False}, "recommend": {}, "context": {"attempt_probability": 0.3}}
FAIR = {"favourable": {"column": "LB__Cholesterol", "at_least": 190}, "sensitive": "DM__SEX", "reference": "M"}
RECOMMENDED = [{"method": "drop_identifiers"}, {"method": "recommended"}]


def _demographics(chance: np.random.Generator) -> pd.DataFrame:
    """Ninety adults, two of them without an age."""
    frame = pd.DataFrame({"USUBJID": [f"ZZ-{i:03d}" for i in chance.permutation(N) + 200]})
    frame["SEX"] = np.where(np.arange(N) % 2, "F", "M")
    frame["RACE"] = np.where(np.arange(N) < 4, "ASIAN", "WHITE")
    frame["AGE"] = chance.choice(np.arange(41, 79), N).astype(object)
    frame.loc[[11, 50], "AGE"] = None
    return frame


def write_trial(folder: Path) -> dict:
    """SDTM: times of day in four records, partial dates in five, a rare term of three people, two deaths, a text."""
    chance = np.random.default_rng(3)
    people = _demographics(chance)
    start = pd.Timestamp("2019-03-04") + pd.to_timedelta(chance.integers(0, 400, N), "D")
    day = lambda after: (start + pd.to_timedelta(after, "D")).strftime("%Y-%m-%d")  # noqa: E731
    dm = people.assign(STUDYID="FEW", DOMAIN="DM", RFSTDTC=day(0), ARM=np.where(np.arange(N) % 3, "ACTIVE", "PLACEBO"))
    dm["DTHFL"] = np.where(np.isin(np.arange(N), (7, 70)), "Y", None)
    events = pd.DataFrame({"STUDYID": "FEW", "DOMAIN": "AE", "USUBJID": people["USUBJID"]})
    events["AESEQ"], events["AETERM"] = 1, "HEADACHE"
    events["AEDECOD"] = np.where(np.arange(N) % 20 == 5, "GOUT", np.where(np.arange(N) % 2, "HEADACHE", "NAUSEA"))
    events["AEBODSYS"] = np.where(np.arange(N) % 2, "NERVOUS", "GASTRO")
    events["AESTDTC"], events["AEENDTC"] = day(5), day(9)
    events.loc[:3, "AESTDTC"] += "T08:15"
    events.loc[20:24, "AEENDTC"] = events.loc[20:24, "AEENDTC"].str[:7]
    tests = pd.DataFrame({"STUDYID": "FEW", "DOMAIN": "LB", "USUBJID": people["USUBJID"], "LBSEQ": 1})
    tests["LBTESTCD"], tests["LBTEST"], tests["LBORRESU"] = "CHOL", "Cholesterol", "mg/dL"
    tests["LBORRES"] = chance.integers(120, 260, N).astype(str)
    tests["LBDTC"] = day(0)
    others = tests.assign(LBTESTCD="GLUC", LBTEST="Glucose", LBSEQ=2, LBORRES=chance.integers(60, 99, N).astype(str))
    others.loc[33, "LBORRES"] = "TRACE"
    tests = pd.concat([tests.drop(index=[44, 45, 46]), others])
    deaths = pd.DataFrame({"STUDYID": "FEW", "DOMAIN": "DD", "USUBJID": people["USUBJID"][[7, 70]], "DDSEQ": 1})
    deaths["DDTESTCD"], deaths["DDTEST"], deaths["DDORRES"] = "PRCDTH", "Primary Cause of Death", "SEPSIS"
    for name, frame in (("dm", dm), ("ae", events), ("lb", tests), ("dd", deaths)):
        frame.to_csv(folder / f"{name}.csv", index=False)
    return {
        "categorical_qis": ["DM__SEX", "DM__RACE"],
        "continuous_qis": ["DM__AGE"],
        "binning_config": {"DM__AGE": [40, 50, 60, 70, 78]},
        "sensitive_feature": "LB__Cholesterol",
        "sensitive_binning_config_for_L": {"LB__Cholesterol": [150, 200, 230]},
        **{"K": 4, "L": 2, "T": 60},
        "treatment": RECOMMENDED,
        "release": {"key_from": KEY_FROM, "name": "2026", "rare_terms": {"at_least": 5}},
        "fairness": FAIR,
        "sweep": {"grid": [{"method": "band", "column": "DM__AGE", "width": [5, 20]}], "figures": False, "seed": 1},
        **STEPS,
    }


def write_flat(folder: Path) -> dict:
    """One plain table, several treatments that each remove few records."""
    chance = np.random.default_rng(4)
    people = _demographics(chance).rename(columns=str.lower).rename(columns={"usubjid": "patient_id"})
    people["town"] = np.where(np.arange(N) % 30 == 4, "Graz", np.where(np.arange(N) % 2, "Linz", "Wels"))
    people["lab"] = chance.integers(100, 300, N).astype(float)
    people.loc[[2, 3, 4], "lab"] = None
    people.to_csv(folder / "cohort.csv", index=False)
    names = {name: f"COHORT__{name}" for name in ("sex", "race", "town", "age", "lab")}
    band = {"method": "band", "column": names["age"], "width": 20}
    return {
        "subject_id": {"column": "patient_id"},
        "categorical_qis": [names["sex"], names["race"], names["town"]],
        "continuous_qis": [names["age"]],
        "binning_config": {names["age"]: [40, 60, 80]},
        "sensitive_feature": names["lab"],
        "sensitive_binning_config_for_L": {names["lab"]: [150, 200, 250]},
        **{"K": 3, "L": 2, "T": 60},
        "treatment": [
            {"method": "top_code", "column": names["age"], "limit": 75},
            {"method": "suppress_records"},
            band,
            {"method": "recode_ids", "key_from": KEY_FROM},
        ],
        **STEPS,
    }


def write_rows(folder: Path) -> dict:
    """People, and a table of many diagnoses: three people with a rare one, six rows of nobody in the list of people."""
    chance = np.random.default_rng(5)
    people = _demographics(chance).rename(columns=str.lower).rename(columns={"usubjid": "patient_id"})
    people["cholesterol"] = chance.integers(120, 260, N)
    people.to_csv(folder / "patients.csv", index=False)
    who = np.append(np.repeat(np.arange(N), 3), [1, 2, 3])
    rows = pd.DataFrame({"patient_id": people["patient_id"].to_numpy()[who]})
    rows["diagnosis"] = chance.choice(["I10", "E11", "J45", "M54"], len(rows))
    rows.loc[rows.index[-3:], "diagnosis"] = "G35"
    rows["date"] = (pd.Timestamp("2021-01-05") + pd.to_timedelta(chance.integers(0, 700, len(rows)), "D")).strftime(
        "%Y-%m-%d"
    )
    rows["weight"] = chance.integers(50, 110, len(rows))
    rows.to_csv(folder / "diagnoses.csv", index=False)
    return {
        "subject_id": {"column": "patient_id"},
        "categorical_qis": ["PATIENTS__sex", "PATIENTS__race"],
        "continuous_qis": ["PATIENTS__age"],
        "binning_config": {"PATIENTS__age": [40, 50, 60, 80]},
        "sensitive_feature": "PATIENTS__cholesterol",
        "sensitive_binning_config_for_L": {"PATIENTS__cholesterol": [150, 200, 230]},
        **{"K": 4, "L": 2, "T": 60},
        "treatment": RECOMMENDED,
        "release": {"key_from": KEY_FROM, "name": "2026"},
        **STEPS,
    }


def write_omop(folder: Path) -> dict:
    """The shipped export of OMOP: of 120 people five died, each with a row of a table of its own."""
    import ast

    shutil.copytree(PROJECT / "pilot_report" / "OMOP_DEMO", folder, dirs_exist_ok=True)
    module = ast.parse((PROJECT / "config" / "OMOP_DEMO.py").read_text(encoding="utf-8"))
    literal: dict = ast.literal_eval(module.body[-1].value)
    return {**literal, "treatment": RECOMMENDED, "release": {"key_from": KEY_FROM, "name": "2026"}, **STEPS}


PILOTS: dict[str, Callable[[Path], dict]] = {
    "trial": write_trial,
    "flat": write_flat,
    "rows": write_rows,
    "omop": write_omop,
}
