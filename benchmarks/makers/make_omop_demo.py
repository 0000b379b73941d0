"""Write OMOP_DEMO: an export of OMOP CDM 5.4 of a hospital that never was. Every person in it is invented.

    python benchmarks/makers/make_omop_demo.py

120 people of a clinic for diabetes, as a database exports its tables: one CSV file each, in capitals. It sets the traps
of real exports: ids are numbers of the database, a table without rows, concepts that nobody has, source values that
name people and records, notes, a visit that follows another one, a unit without a concept, and results that are
concepts.

Seeded: each run writes the same bytes.
"""

from __future__ import annotations

import csv
import datetime
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

SEED = 8
N_PEOPLE, N_VISITS = 120, 4
CONCEPTS = {
    8507: ("MALE", "Gender"),
    8532: ("FEMALE", "Gender"),
    8527: ("White", "Race"),
    8516: ("Black or African American", "Race"),
    8515: ("Asian", "Race"),
    38003564: ("Not Hispanic or Latino", "Ethnicity"),
    38003563: ("Hispanic or Latino", "Ethnicity"),
    9202: ("Outpatient Visit", "Visit"),
    9201: ("Inpatient Visit", "Visit"),
    32817: ("EHR", "Type Concept"),
    201826: ("Type 2 diabetes mellitus", "Condition"),
    320128: ("Essential hypertension", "Condition"),
    313217: ("Atrial fibrillation", "Condition"),
    4329847: ("Myocardial infarction", "Condition"),
    192963: ("A finding that nobody has", "Condition"),
    1503297: ("metformin", "Drug"),
    1308216: ("lisinopril", "Drug"),
    1545958: ("atorvastatin", "Drug"),
    3004249: ("Systolic blood pressure", "Measurement"),
    3027114: ("Cholesterol [Mass/volume] in Serum or Plasma", "Measurement"),
    3004410: ("Hemoglobin A1c/Hemoglobin.total in Blood", "Measurement"),
    3038553: ("Body mass index (BMI) [Ratio]", "Measurement"),
    3009261: ("Glucose [Presence] in Urine by Test strip", "Measurement"),
    9191: ("Positive", "Meas Value"),
    9189: ("Negative", "Meas Value"),
    8876: ("millimeter mercury column", "Unit"),
    8840: ("milligram per deciliter", "Unit"),
    8554: ("percent", "Unit"),
    43054909: ("Tobacco smoking status", "Observation"),
    45879404: ("Never smoker", "Meas Value"),
    45883458: ("Former smoker", "Meas Value"),
}
# Test, its usual value and spread, its unit as a concept and as the source writes it, and decimals.
TESTS = (
    (3004249, 134, 14, 8876, "mm[Hg]", 0),
    (3027114, 192, 34, 8840, "mg/dL", 0),
    (3004410, 7.1, 1.1, 8554, "%", 1),
    (3038553, 28.5, 4.5, 0, "kg/m2", 1),
)
CONDITIONS = ((201826, "E11.9", 0.9), (320128, "I10", 0.5), (313217, "I48.9", 0.1), (4329847, "I21.9", 0.05))
DRUGS = {201826: (1503297, "860975"), 320128: (1308216, "314076"), 4329847: (1545958, "617310")}

Rows = list[dict[str, object]]


def made_tables(seed: int = SEED) -> dict[str, Rows]:
    """The tables by name, each with its rows; ``LOCATION`` has none."""
    random = np.random.default_rng(seed)
    tables: dict[str, Rows] = {name: [] for name in COLUMNS}
    for number in range(1, N_PEOPLE + 1):
        _add_person(tables, 4_000 + number, random)
    tables["CARE_SITE"] = [{"care_site_id": 1, "care_site_name": "Clinic of Nowhere", "location_id": None}]
    tables["PROVIDER"] = [
        {"provider_id": i, "provider_name": f"Dr. No {i}", "care_site_id": 1, "provider_source_value": f"D{i:03d}"}
        for i in range(1, 6)
    ]
    tables["CONCEPT"] = [
        {
            "concept_id": one,
            "concept_name": name,
            "domain_id": domain,
            "vocabulary_id": "made",
            "concept_code": f"c{one}",
        }
        for one, (name, domain) in sorted(CONCEPTS.items())
    ]
    tables["CDM_SOURCE"] = [
        {"cdm_source_name": "Clinic of Nowhere", "cdm_holder": "Nobody", "cdm_version": "5.4",
         "source_release_date": "2024-02-29"}
    ]  # fmt: skip
    return tables


COLUMNS: Mapping[str, str] = {
    "PERSON": (
        "person_id gender_concept_id year_of_birth month_of_birth day_of_birth birth_datetime race_concept_id "
        "ethnicity_concept_id location_id provider_id care_site_id person_source_value gender_source_value"
    ),
    "OBSERVATION_PERIOD": (
        "observation_period_id person_id observation_period_start_date observation_period_end_date "
        "period_type_concept_id"
    ),
    "VISIT_OCCURRENCE": (
        "visit_occurrence_id person_id visit_concept_id visit_start_date visit_end_date visit_type_concept_id "
        "provider_id care_site_id visit_source_value preceding_visit_occurrence_id"
    ),
    "CONDITION_OCCURRENCE": (
        "condition_occurrence_id person_id condition_concept_id condition_start_date condition_type_concept_id "
        "visit_occurrence_id condition_source_value condition_source_concept_id"
    ),
    "DRUG_EXPOSURE": (
        "drug_exposure_id person_id drug_concept_id drug_exposure_start_date drug_exposure_end_date "
        "drug_type_concept_id days_supply sig visit_occurrence_id drug_source_value"
    ),
    "MEASUREMENT": (
        "measurement_id person_id measurement_concept_id measurement_date measurement_datetime "
        "measurement_type_concept_id value_as_number value_as_concept_id unit_concept_id visit_occurrence_id "
        "unit_source_value"
    ),
    "OBSERVATION": (
        "observation_id person_id observation_concept_id observation_date observation_type_concept_id "
        "value_as_concept_id visit_occurrence_id"
    ),
    "DEATH": "person_id death_date death_type_concept_id cause_concept_id cause_source_value",
    "NOTE": "note_id person_id note_date note_type_concept_id note_text",
    "CARE_SITE": "care_site_id care_site_name location_id",
    "PROVIDER": "provider_id provider_name care_site_id provider_source_value",
    "LOCATION": "location_id city state zip",
    "CONCEPT": "concept_id concept_name domain_id vocabulary_id concept_code",
    "CDM_SOURCE": "cdm_source_name cdm_holder cdm_version source_release_date",
}


def _add_person(tables: dict[str, Rows], person: int, random: np.random.Generator) -> None:
    """All rows of a person: the visits, and what was found, diagnosed and prescribed there."""
    born = datetime.date(1935, 1, 1) + datetime.timedelta(days=int(random.beta(2, 3) * 20_000))
    is_woman = bool(random.random() < 0.5)
    tables["PERSON"].append(
        {
            "person_id": person,
            "gender_concept_id": 8532 if is_woman else 8507,
            "year_of_birth": born.year,
            "month_of_birth": born.month,
            "day_of_birth": born.day,
            "birth_datetime": f"{born} 00:00:00",
            "race_concept_id": random.choice([8527, 8516, 8515, 0], p=[0.74, 0.14, 0.09, 0.03]),
            "ethnicity_concept_id": random.choice([38003564, 38003563], p=[0.85, 0.15]),
            "provider_id": 1 + person % 5,
            "care_site_id": 1,
            "person_source_value": f"MRN-{person * 7919 % 1_000_003:07d}",
            "gender_source_value": "F" if is_woman else "M",
        }
    )
    days = _days_of_visits(random)
    visits = [_add_visit(tables, person, day, i, random) for i, day in enumerate(days)]
    tables["OBSERVATION_PERIOD"].append(
        {
            "observation_period_id": person - 4_000,
            "person_id": person,
            "observation_period_start_date": days[0],
            "observation_period_end_date": days[-1],
            "period_type_concept_id": 32817,
        }
    )
    for visit, day in zip(visits[::2], days[::2], strict=True):
        _add_measurements(tables, person, visit, day, random)
    _add_conditions(tables, person, visits, days, random)
    _add(
        tables,
        "OBSERVATION",
        person_id=person,
        observation_concept_id=43054909,
        observation_date=days[0],
        observation_type_concept_id=32817,
        value_as_concept_id=random.choice([45879404, 45883458]),
        visit_occurrence_id=visits[0],
    )
    if random.random() < 0.3:
        text = f"Seen on {days[0]}; asks for a call before noon."
        _add(tables, "NOTE", person_id=person, note_date=days[0], note_type_concept_id=32817, note_text=text)
    if random.random() < 0.06:
        death = days[-1] + datetime.timedelta(days=int(random.integers(20, 300)))
        tables["DEATH"].append(
            {"person_id": person, "death_date": death, "death_type_concept_id": 32817, "cause_concept_id": 4329847,
             "cause_source_value": "I21.9"}
        )  # fmt: skip


def _days_of_visits(random: np.random.Generator) -> list[datetime.date]:
    first = datetime.date(2019, 1, 7) + datetime.timedelta(days=int(random.integers(0, 1_000)))
    gaps = np.append(0, np.cumsum(random.integers(40, 160, N_VISITS - 1)))
    return [first + datetime.timedelta(days=int(gap)) for gap in gaps]


def _add(tables: dict[str, Rows], table: str, **row: object) -> int:
    """Add a row under the next id of its table, and return the id."""
    number = len(tables[table]) + 1
    tables[table].append({f"{table.lower()}_id": number, **row})
    return number


def _add_visit(tables: dict[str, Rows], person: int, day: datetime.date, i: int, random: np.random.Generator) -> int:
    is_inpatient = random.random() < 0.1
    return _add(
        tables,
        "VISIT_OCCURRENCE",
        person_id=person,
        visit_concept_id=9201 if is_inpatient else 9202,
        visit_start_date=day,
        visit_end_date=day + datetime.timedelta(days=int(random.integers(1, 9)) if is_inpatient else 0),
        visit_type_concept_id=32817,
        provider_id=1 + person % 5,
        care_site_id=1,
        visit_source_value=f"V{person:05d}{i}",
        preceding_visit_occurrence_id=len(tables["VISIT_OCCURRENCE"]) if i else None,
    )


def _add_measurements(
    tables: dict[str, Rows], person: int, visit: int, day: datetime.date, random: np.random.Generator
) -> None:
    common = {"person_id": person, "measurement_date": day, "measurement_type_concept_id": 32817}
    common |= {"visit_occurrence_id": visit, "value_as_concept_id": 0}
    for test, usual, spread, unit, unit_text, decimals in TESTS:
        if random.random() < 0.95:
            value = round(float(random.normal(usual, spread)), decimals)
            moment = f"{day} {int(random.integers(8, 16)):02d}:30:00"
            _add(
                tables, "MEASUREMENT", **common, measurement_concept_id=test, measurement_datetime=moment,
                value_as_number=f"{value:g}", unit_concept_id=unit, unit_source_value=unit_text,
            )  # fmt: skip
    result = 9191 if random.random() < 0.3 else 9189
    common |= {"measurement_datetime": f"{day} 08:00:00", "value_as_concept_id": result, "unit_concept_id": 0}
    _add(tables, "MEASUREMENT", **common, measurement_concept_id=3009261)


def _add_conditions(
    tables: dict[str, Rows],
    person: int,
    visits: Sequence[int],
    days: Sequence[datetime.date],
    random: np.random.Generator,
) -> None:
    for condition, code, share in CONDITIONS:
        if random.random() >= share:
            continue
        at = int(random.integers(0, N_VISITS))
        common = {"person_id": person, "visit_occurrence_id": visits[at]}
        _add(
            tables, "CONDITION_OCCURRENCE", **common, condition_concept_id=condition, condition_start_date=days[at],
            condition_type_concept_id=32817, condition_source_value=code, condition_source_concept_id=0,
        )  # fmt: skip
        if condition in DRUGS:
            drug, source = DRUGS[condition]
            _add(
                tables, "DRUG_EXPOSURE", **common, drug_concept_id=drug, drug_exposure_start_date=days[at],
                drug_exposure_end_date=days[at] + datetime.timedelta(days=90), drug_type_concept_id=32817,
                days_supply=90, sig="one in the morning", drug_source_value=source,
            )  # fmt: skip


def write_demo(folder: Path) -> None:
    """Write the files of the pilot into ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in made_tables().items():
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, COLUMNS[name].split(), restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        (folder / f"{name}.csv").write_bytes(text.getvalue().encode("utf-8"))


if __name__ == "__main__":
    write_demo(Path(__file__).resolve().parents[2] / "pilot_report" / "OMOP_DEMO")
