"""The data of the benchmarks: invented people, made by a seeded generator at first use and kept in ``data/``.

Always run as a process of its own (``python made_data.py KIND N_PEOPLE FOLDER``): the process that measures has to
stay small, because on Linux a child's peak memory is never reported below that of the process that starts it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
from made_files import PILOT
from made_omop import omop_tables
from measuring import PROJECT

SEED = 20260101
DOOR_1 = PROJECT / "Create_Combined_Pilot_Dataset.py"
N_LEVELS = 250  # of the sensitive value
RECORDS_PER_SUBJECT = 20  # of LB: five tests at four visits

AGE_EDGES = [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100]
BMI_EDGES = [0, 18.5, 25, 30, 35, 40, 80]
TEXT_COLUMNS = {"DM__SEX": 2, "SC__Region": 13, "SC__Occupation": 20}
SENSITIVE = "LB__Cholesterol"

PEOPLE_CONFIG = {
    "categorical_qis": list(TEXT_COLUMNS),
    "continuous_qis": ["DM__AGE", "VS__BMI"],
    "binning_config": {"DM__AGE": AGE_EDGES, "VS__BMI": BMI_EDGES},
    "sensitive_feature": SENSITIVE,
    "K": 5,
    "L": 5,
    "T": 30,
}
# Door 2 runs with l on bins, as the shipped pilots do.
DOOR_2_CONFIG = PEOPLE_CONFIG | {"sensitive_binning_config_for_L": {SENSITIVE: [100, 150, 200, 250, 300]}}
# The same people after binning, for tools that know neither bins nor missing values.
BINNED_CONFIG = PEOPLE_CONFIG | {
    "categorical_qis": PEOPLE_CONFIG["categorical_qis"] + PEOPLE_CONFIG["continuous_qis"],
    "continuous_qis": [],
    "binning_config": {},
}
DOOR_1_CONFIG = {
    "categorical_qis": ["DM__SEX", "DM__RACE"],
    "continuous_qis": ["DM__AGE"],
    "binning_config": {"DM__AGE": AGE_EDGES},
    "sensitive_feature": "LB__Cholesterol",
    "K": 5,
    "L": 5,
    "T": 1,
}
OMOP_CONFIG = {
    "categorical_qis": ["PERSON__gender_concept_id", "PERSON__race_concept_id"],
    "continuous_qis": ["PERSON__year_of_birth"],
    "binning_config": {"PERSON__year_of_birth": [1930, 1950, 1970, 1990, 2013]},
    "sensitive_feature": "MEASUREMENT__Test number 0 (Mass/volume) in Serum",
    "K": 5,
    "L": 5,
    "T": 10,
    "subject_id": {"column": "person_id"},
}


def people(n_people: int, missing: bool) -> pd.DataFrame:
    """Three text and two numeric quasi-identifiers and a whole number with ``N_LEVELS`` levels; skewed as people are.

    ``missing``: 1 % of the occupations and 3 % of the body mass indices are not known.
    """
    random = np.random.default_rng([SEED, n_people])
    columns = {}
    for name, n_values in TEXT_COLUMNS.items():
        labels = np.array([f"{name.split('__')[1]} {number:02d}" for number in range(1, n_values + 1)], dtype=object)
        weights = 1 / np.arange(2, n_values + 2)
        columns[name] = labels[random.choice(n_values, n_people, p=weights / weights.sum())]
    columns["DM__AGE"] = np.clip(random.normal(48, 20, n_people), 0, 99).astype(int)
    columns["VS__BMI"] = np.clip(random.normal(26, 5, n_people), 12, 60).round(1)
    cholesterol = 190 + 0.3 * (columns["DM__AGE"] - 48) + random.normal(0, 38, n_people)
    cholesterol = np.clip(cholesterol, 101, 100 + N_LEVELS).astype(int)
    anywhere = random.random(n_people) < 0.2  # so that ten thousand people take every level
    columns[SENSITIVE] = np.where(anywhere, random.integers(101, 101 + N_LEVELS, n_people), cholesterol)
    if missing:
        columns["SC__Occupation"][random.random(n_people) < 0.01] = None
        columns["VS__BMI"][random.random(n_people) < 0.03] = np.nan
    return pd.DataFrame(columns)


def make_people(n_people: int, folder: Path) -> None:
    """One CSV file of people and the config to assess them by."""
    _write_csv(people(n_people, missing=True), folder / "people.csv")
    _write_config(PEOPLE_CONFIG, folder / "config.py")


def make_binned_people(n_people: int, folder: Path) -> None:
    """People after binning and without gaps, with a config for each distance that another tool uses."""
    from Anonymization_Models import apply_feature_binning

    binned, _ = apply_feature_binning(people(n_people, missing=False), PEOPLE_CONFIG["binning_config"])
    _write_csv(binned.astype(dict.fromkeys(PEOPLE_CONFIG["continuous_qis"], "str")), folder / "people.csv")
    for distance in ("total_variation", "ordered"):
        _write_config(BINNED_CONFIG | {"T": 0.5, "t_distance": distance}, folder / f"config_{distance}.py")


def make_combined_dataset(n_people: int, folder: Path) -> None:
    """A pilot as door 1 leaves it behind, without its domain files."""
    frame = people(n_people, missing=True)
    pilot, subjects = folder / "pilots" / PILOT, _subject_ids(n_people)
    pilot.mkdir(parents=True)
    (folder / "config").mkdir()
    _write_config(DOOR_2_CONFIG, folder / "config" / f"{PILOT}.py")
    for domain, names in frame.columns.to_series().groupby(frame.columns.str.partition("__").get_level_values(0)):
        table = pd.DataFrame({name.split("__")[1]: _as_text(frame[name]) for name in names})
        table.insert(0, "USUBJID", subjects)
        _write_csv(table, pilot / f"{domain}.csv")
    folders = {"BIOSTREAMS_DATA_DIR": str(folder / "pilots"), "BIOSTREAMS_CONFIG_DIR": str(folder / "config")}
    subprocess.run([sys.executable, DOOR_1, PILOT], check=True, env=os.environ | folders, stdout=subprocess.DEVNULL)
    for path in pilot.glob("*.csv"):
        path.unlink()


def make_domain_files(n_people: int, folder: Path) -> None:
    """A pilot for door 1: DM with one row per subject and LB in long SDTM form, ``RECORDS_PER_SUBJECT`` rows each."""
    random = np.random.default_rng([SEED, n_people])
    subjects = _subject_ids(n_people)
    demographics, start = demographics_of(random, subjects)
    pilot = folder / "pilots" / PILOT
    pilot.mkdir(parents=True)
    _write_csv(demographics, pilot / "DM.csv")
    _write_csv(_laboratory(random, subjects, start), pilot / "LB.csv")
    (folder / "config").mkdir()
    _write_config(DOOR_1_CONFIG, folder / "config" / f"{PILOT}.py")


def make_omop(n_people: int, folder: Path) -> None:
    """An export of OMOP CDM for door 1, 500 measurements for a person."""
    pilot = folder / "pilots" / PILOT
    pilot.mkdir(parents=True)
    for name, frame in omop_tables(np.random.default_rng([SEED, n_people]), n_people).items():
        frame.to_csv(pilot / f"{name}.csv", index=False)  # as a database exports it, without quotes
    (folder / "config").mkdir()
    _write_config(OMOP_CONFIG, folder / "config" / f"{PILOT}.py")


def demographics_of(random: np.random.Generator, subjects: list[str]) -> tuple[pd.DataFrame, np.ndarray]:
    """DM with one row per subject, and the day on which each began."""
    start = np.datetime64("2022-01-01") + random.integers(0, 700, len(subjects))
    demographics = pd.DataFrame(
        {
            "STUDYID": "BENCHMARK",
            "DOMAIN": "DM",
            "USUBJID": subjects,
            "SUBJID": [subject[-6:] for subject in subjects],
            "RFSTDTC": start.astype(str),
            "AGE": np.clip(random.normal(58, 14, len(subjects)), 18, 90).astype(int),
            "AGEU": "YEARS",
            "SEX": random.choice(["F", "M"], len(subjects)),
            "RACE": random.choice(["WHITE", "BLACK OR AFRICAN AMERICAN", "ASIAN", "OTHER"], len(subjects)),
            "ARM": random.choice(["Placebo", "Treatment"], len(subjects)),
            "COUNTRY": random.choice(["GRC", "ITA", "DEU", "ESP", "FRA"], len(subjects)),
        }
    )
    return demographics, start


def _laboratory(random: np.random.Generator, subjects: list[str], start: np.ndarray) -> pd.DataFrame:
    """LB: five tests at four visits; 2 % not done, 1 % below the limit of detection, 5 % without a baseline flag."""
    codes = np.array(["CHOL", "GLUC", "ALB", "CREAT", "ALT"], dtype=object)
    names = np.array(["Cholesterol", "Glucose", "Albumin", "Creatinine", "Alanine Aminotransferase"], dtype=object)
    units = np.array(["mmol/L", "mmol/L", "g/L", "umol/L", "U/L"], dtype=object)
    usual = np.array([5.0, 5.5, 41.0, 80.0, 25.0])
    visits = np.array(["SCREENING", "BASELINE", "WEEK 4", "WEEK 12"], dtype=object)
    planned_days = np.array([-14, 1, 28, 84])

    n_rows = len(subjects) * RECORDS_PER_SUBJECT
    of_subject = np.arange(n_rows) // RECORDS_PER_SUBJECT
    test, visit = np.arange(n_rows) % 5, np.arange(n_rows) // 5 % 4
    day = planned_days[visit] + random.integers(-1, 1, n_rows)
    day[day == 0] = -1  # SDTM has no day 0
    date = start[of_subject] + np.where(day > 0, day - 1, day)
    value = (usual[test] * random.lognormal(0, 0.25, n_rows)).round(2)
    fate = random.random(n_rows)
    not_done, below = fate < 0.02, (fate >= 0.02) & (fate < 0.03)
    result = value.astype(str).astype(object)
    result[below], result[not_done] = "<0.5", None
    low, high = usual[test] * 0.6, usual[test] * 1.6
    indicator = np.where(value < low, "LOW", np.where(value > high, "HIGH", "NORMAL")).astype(object)
    indicator[not_done | below] = None
    has_flag = (random.random(len(subjects)) >= 0.05)[of_subject]
    return pd.DataFrame(
        {
            "STUDYID": "BENCHMARK",
            "DOMAIN": "LB",
            "USUBJID": np.array(subjects, dtype=object)[of_subject],
            "LBSEQ": np.arange(n_rows) % RECORDS_PER_SUBJECT + 1,
            "LBTESTCD": codes[test],
            "LBTEST": names[test],
            "LBCAT": "CHEMISTRY",
            "LBORRES": result,
            "LBORRESU": np.where(not_done, None, units[test]),
            "LBSTRESC": result,
            "LBSTRESN": np.where(not_done | below, np.nan, value),
            "LBSTRESU": np.where(not_done, None, units[test]),
            "LBSTAT": np.where(not_done, "NOT DONE", None),
            "LBNRIND": indicator,
            "LBBLFL": np.where((visit == 1) & has_flag & ~not_done, "Y", None),
            "VISITNUM": visit + 1,
            "VISIT": visits[visit],
            "LBDTC": np.char.add(date.astype(str), "T08:30"),
            "LBDY": day,
        }
    )


def _subject_ids(n_people: int) -> list[str]:
    return [f"BENCHMARK-{number // 1000:04d}-{number:08d}" for number in range(n_people)]


def _as_text(column: pd.Series) -> pd.Series:
    """Numbers as people write them: 38 and not 38.0, missing stays missing."""
    if not pd.api.types.is_numeric_dtype(column):
        return column
    return column.map(lambda number: f"{number:g}", na_action="ignore").astype("str")


def _write_csv(frame: pd.DataFrame, path: Path) -> None:
    options = pyarrow.csv.WriteOptions(quoting_style="none")
    pyarrow.csv.write_csv(pa.Table.from_pandas(frame, preserve_index=False), path, options)


def _write_config(config: dict, path: Path) -> None:
    path.write_text(f"config = {json.dumps(config)}\n", encoding="utf-8")


KINDS = {
    "people": make_people,
    "binned_people": make_binned_people,
    "combined_dataset": make_combined_dataset,
    "domain_files": make_domain_files,
    "omop": make_omop,
}

if __name__ == "__main__":
    KINDS[sys.argv[1]](int(sys.argv[2]), Path(sys.argv[3]))
