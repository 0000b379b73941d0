"""An export of OMOP CDM 5.4 as Synthea's is: many visits of few people, and most rows in MEASUREMENT."""

from __future__ import annotations

import numpy as np
import pandas as pd

N_TESTS, N_CODES = 130, 400
MEASUREMENTS, VISITS, CONDITIONS, DRUGS, PROCEDURES = 500, 60, 20, 40, 60  # of a person
FIRST_CODE = 3_000_000
UNITS = {8840: "mg/dL", 8876: "mm[Hg]", 8753: "mmol/L", 8554: "%", 9529: "kg"}


def omop_tables(random: np.random.Generator, n_people: int) -> dict[str, pd.DataFrame]:
    """The tables by name; each person has so many rows of each as stands above, on average."""
    people, born = _people(random, n_people)
    visits = _rows("visit_occurrence", "visit", _whose(random, n_people, VISITS), born, random, datetimes="both")
    n_visits = len(visits)
    visits["visit_source_value"] = [f"{number:032x}" for number in random.integers(1 << 60, size=n_visits)]
    tables = {"person": people, "visit_occurrence": visits}
    for table, word, per_person in (
        ("condition_occurrence", "condition", CONDITIONS),
        ("drug_exposure", "drug", DRUGS),
        ("procedure_occurrence", "procedure", PROCEDURES),
    ):
        rows = _rows(table, word, _whose(random, n_people, per_person), born, random, datetimes="both")
        tables[table] = rows.assign(visit_occurrence_id=random.integers(1, n_visits + 1, len(rows)))
    tables["measurement"] = _measurements(random, n_people, born, n_visits)
    tables["concept"] = _concepts()
    return tables


def _whose(random: np.random.Generator, n_people: int, per_person: int) -> np.ndarray:
    return np.sort(random.integers(0, n_people, n_people * per_person))


def _people(random: np.random.Generator, n_people: int) -> tuple[pd.DataFrame, np.ndarray]:
    born = np.datetime64("1930-01-01") + random.integers(0, 30_000, n_people)
    year, month = born.astype("datetime64[Y]").astype(int) + 1970, born.astype("datetime64[M]").astype(int) % 12 + 1
    woman = random.random(n_people) < 0.5
    people = {
        "person_id": np.arange(1, n_people + 1),
        "gender_concept_id": np.where(woman, 8532, 8507),
        "year_of_birth": year,
        "month_of_birth": month,
        "day_of_birth": (born - born.astype("datetime64[M]")).astype(int) + 1,
        "birth_datetime": np.char.add(born.astype(str), " 00:00:00"),
        "race_concept_id": random.choice([8527, 8516, 8515, 0], n_people, p=[0.8, 0.1, 0.07, 0.03]),
        "ethnicity_concept_id": random.choice([38003564, 38003563], n_people, p=[0.9, 0.1]),
        "person_source_value": [f"{number:032x}" for number in random.integers(1 << 60, size=n_people)],
        "gender_source_value": np.where(woman, "F", "M"),
    }
    return pd.DataFrame(people), born


def _days(random: np.random.Generator, person: np.ndarray, born: np.ndarray) -> np.ndarray:
    return np.asarray(np.maximum(born[person], np.datetime64("2000-01-01")) + random.integers(0, 8_000, len(person)))


def _rows(
    table: str, word: str, person: np.ndarray, born: np.ndarray, random: np.random.Generator, datetimes: str
) -> pd.DataFrame:
    start = _days(random, person, born).astype(str)
    code = FIRST_CODE + N_TESTS + (random.random(len(person)) ** 3 * N_CODES).astype(int)
    return pd.DataFrame(
        {
            f"{table}_id": np.arange(1, len(person) + 1),
            "person_id": person + 1,
            f"{word}_concept_id": code,
            f"{word}_start_date": start,
            f"{word}_start_datetime": np.char.add(start, " 00:00:00"),
            f"{word}_type_concept_id": 38000175,
            "provider_id": random.integers(1, 100, len(person)),
            f"{word}_source_value": code.astype(str),
            f"{word}_source_concept_id": code,
        }
    )


def _measurements(random: np.random.Generator, n_people: int, born: np.ndarray, n_visits: int) -> pd.DataFrame:
    person = _whose(random, n_people, MEASUREMENTS)
    n_rows = len(person)
    date = _days(random, person, born).astype(str)
    test = (random.random(n_rows) ** 2 * N_TESTS).astype(int)
    unit = np.array(list(UNITS))[test % len(UNITS)]
    value = np.round(random.lognormal(3 + test % 3, 0.4), 1)
    has_value = random.random(n_rows) < 0.9
    visit = random.integers(1, n_visits + 1, n_rows)
    return pd.DataFrame(
        {
            "measurement_id": np.arange(1, n_rows + 1),
            "person_id": person + 1,
            "measurement_concept_id": FIRST_CODE + test,
            "measurement_date": date,
            "measurement_datetime": np.char.add(date, " 00:00:00"),
            "measurement_time": date,
            "measurement_type_concept_id": 38000267,
            "operator_concept_id": 0,
            "value_as_number": np.where(has_value, value, np.nan),
            "value_as_concept_id": 0,
            "unit_concept_id": np.where(has_value, unit, 0),
            "range_low": None,
            "range_high": None,
            "provider_id": random.integers(1, 100, n_rows),
            "visit_occurrence_id": visit,
            "visit_detail_id": visit + 1_000_000,
            "measurement_source_value": np.char.add("loinc-", test.astype(str)),
            "measurement_source_concept_id": FIRST_CODE + test,
            "unit_source_value": np.where(has_value, np.array(list(UNITS.values()))[test % len(UNITS)], None),
            "value_source_value": np.where(has_value, value.astype(str), None),
        }
    )


def _concepts() -> pd.DataFrame:
    names = {FIRST_CODE + i: f"Test number {i} [Mass/volume] in Serum" for i in range(N_TESTS)}
    names |= {FIRST_CODE + N_TESTS + i: f"Finding number {i}" for i in range(N_CODES)}
    names |= UNITS | {8532: "FEMALE", 8507: "MALE", 8527: "White", 8516: "Black", 8515: "Asian"}
    return pd.DataFrame({"concept_id": list(names), "concept_name": list(names.values()), "vocabulary_id": "made"})
