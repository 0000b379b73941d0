"""Write REDCAP_DEMO: the export of a REDCap project that never was. Every person in it is invented.

    python benchmarks/makers/make_redcap_demo.py

150 participants of a registry of raised blood pressure, as the web application exports them: ``data.csv`` with raw
codes, three events and a repeating instrument (medications), ``dictionary.csv``, and ``event.csv`` of the API. It sets
the traps of real exports: the record id is called ``participant``, most cells of a row are empty, a checkbox is one
column for each choice, identifiers and free text stand among the data, and the rows of the file are in no order.

Seeded: each run writes the same bytes.
"""

from __future__ import annotations

import csv
import datetime
import io
from pathlib import Path
from typing import Any

import numpy as np

SEED = 5
N_PARTICIPANTS = 150
EVENTS = {"baseline_arm_1": 0, "month_3_arm_1": 91, "month_12_arm_1": 365}  # days after the start
SHARE_SEEN = {"baseline_arm_1": 1.0, "month_3_arm_1": 0.9, "month_12_arm_1": 0.75}
RACES = {"1": "White", "2": "Black or African American", "3": "Asian", "4": "Other"}
RACE_SHARES = (0.72, 0.14, 0.09, 0.05)
FIRST_NAMES = ("Alba", "Bruno", "Carla", "Dimitris", "Elena", "Filip", "Greta", "Hugo", "Irene", "Jonas")
LAST_NAMES = ("Abel", "Berger", "Castro", "Dimou", "Ekdahl", "Farkas", "Grossi", "Horvat", "Ionescu", "Jansen")
DRUGS = {"1": "Amlodipine", "2": "Ramipril", "3": "Hydrochlorothiazide", "4": "Metformin", "5": "Atorvastatin"}

HEADINGS = (
    "Variable / Field Name", "Form Name", "Section Header", "Field Type", "Field Label",
    "Choices, Calculations, OR Slider Labels", "Field Note", "Text Validation Type OR Show Slider Number",
    "Text Validation Min", "Text Validation Max", "Identifier?", "Branching Logic (Show field only if...)",
    "Required Field?", "Custom Alignment", "Question Number (surveys only)", "Matrix Group Name", "Matrix Ranking?",
    "Field Annotation",
)  # fmt: skip


def _listed(choices: dict[str, str]) -> str:
    return " | ".join(f"{code}, {label}" for code, label in choices.items())


# Name, form, type, label, choices or formula, validation, identifier.
FIELDS = (
    ("participant", "enrolment", "text", "Participant number", "", "", ""),
    ("consent_date", "enrolment", "text", "Date of consent", "", "date_ymd", ""),
    ("first_name", "enrolment", "text", "First name", "", "", "y"),
    ("last_name", "enrolment", "text", "Last name", "", "", "y"),
    ("dob", "enrolment", "text", "Date of birth", "", "date_ymd", "y"),
    ("email", "enrolment", "text", "E-mail", "", "email", "y"),
    ("age", "enrolment", "calc", "Age at consent", 'rounddown(datediff([dob], [consent_date], "y"))', "", ""),
    ("sex", "enrolment", "radio", "Sex", "1, Female | 2, Male", "", ""),
    ("race", "enrolment", "checkbox", "Race (all that apply)", _listed(RACES), "", ""),
    ("smoker", "enrolment", "yesno", "Smokes?", "", "", ""),
    ("history", "enrolment", "notes", "Medical history", "", "", ""),
    ("visit_date", "visit", "text", "Date of visit", "", "date_ymd", ""),
    ("height", "visit", "text", "Height (cm)", "", "number", ""),
    ("weight", "visit", "text", "Weight (kg)", "", "number", ""),
    ("bmi", "visit", "calc", "BMI", "round([weight] / ([height] / 100) ^ 2, 1)", "", ""),
    ("systolic", "visit", "text", "Systolic blood pressure (mmHg)", "", "integer", ""),
    ("cholesterol", "visit", "text", "Total cholesterol (mg/dL)", "", "integer", ""),
    ("symptoms", "visit", "checkbox", "Symptoms", "1, Headache | 2, Dizziness | 3, Palpitations", "", ""),
    ("drug", "medication", "dropdown", "Drug", _listed(DRUGS), "", ""),
    ("drug_start", "medication", "text", "Start of the drug", "", "date_ymd", ""),
    ("dose", "medication", "text", "Dose (mg)", "", "number", ""),
)


def write_redcap_demo(folder: Path) -> None:
    """Write the three files of ``REDCAP_DEMO`` into a folder, over what an earlier run wrote."""
    rng = np.random.default_rng(SEED)
    rows = [row for number in range(N_PARTICIPANTS) for row in _rows_of(rng, f"{1001 + 3 * number}")]
    rows = [rows[place] for place in rng.permutation(len(rows))]
    _write(folder / "data.csv", _columns(), [[row.get(name, "") for name in _columns()] for row in rows])
    _write(folder / "dictionary.csv", HEADINGS, [_line(*one) for one in FIELDS])
    header = ("event_name", "arm_num", "day_offset", "offset_min", "offset_max", "unique_event_name")
    of_events = [
        (name.removesuffix("_arm_1").replace("_", " ").capitalize(), 1, days, 0, 0, name)
        for name, days in EVENTS.items()
    ]
    _write(folder / "event.csv", header, of_events)


def _line(name: str, form: str, kind: str, label: str, choices: str, validation: str, identifier: str) -> list[str]:
    said = {0: name, 1: form, 3: kind, 4: label, 5: choices, 7: validation, 10: identifier}
    return [said.get(place, "") for place in range(len(HEADINGS))]


def _columns() -> list[str]:
    columns = ["participant", "redcap_event_name", "redcap_repeat_instrument", "redcap_repeat_instance"]
    forms = list(dict.fromkeys(field[1] for field in FIELDS))
    for form in forms:
        for name, _, kind, _, choices, _, _ in (field for field in FIELDS[1:] if field[1] == form):
            codes = [choice.partition(",")[0] for choice in choices.split(" | ")]
            columns += [f"{name}___{code}" for code in codes] if kind == "checkbox" else [name]
        columns.append(f"{form}_complete")
    return columns


def _write(path: Path, header: Any, rows: Any) -> None:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([header, *rows])
    path.write_bytes(text.getvalue().encode())


def _rows_of(rng: np.random.Generator, participant: str) -> list[dict[str, str]]:
    """The rows of one participant: events in which they were seen, and one for each drug that they take."""
    age, is_female = int(np.clip(rng.normal(61, 10), 31, 88)), bool(rng.random() < 0.55)
    start = datetime.date(2021, 1, 4) + datetime.timedelta(days=int(rng.integers(0, 700)))
    height, weight = rng.normal(163 if is_female else 176, 6), rng.normal(74 if is_female else 85, 11)
    pressure, cholesterol = rng.normal(152, 14), rng.normal(205, 34)
    rows = []
    for event, days in EVENTS.items():
        if rng.random() >= SHARE_SEEN[event]:
            continue
        row = {"participant": participant, "redcap_event_name": event}
        if days == 0:
            row |= _enrolment(rng, start, age, is_female)
        visit = start + datetime.timedelta(days=days + int(rng.integers(0, 10)))
        kilograms = round(float(weight + rng.normal(-days / 180, 1.5)), 1)
        row |= {"visit_date": str(visit), "weight": str(kilograms), "visit_complete": "2"}
        row |= {"height": str(round(float(height))), "bmi": str(round(kilograms / (round(height) / 100) ** 2, 1))}
        row |= {"systolic": str(round(float(pressure - days / 30 + rng.normal(0, 6))))}
        row |= {"cholesterol": str(round(float(cholesterol + rng.normal(0, 12))))}
        row |= {f"symptoms___{code}": str(int(rng.random() < 0.2)) for code in "123"}
        rows.append(row)
    taken = rng.choice(list(DRUGS), size=int(rng.integers(0, 4)), replace=False)
    for instance, code in enumerate(taken, start=1):
        begun = start - datetime.timedelta(days=int(rng.integers(0, 2000)))
        dose = str(rng.choice([2.5, 5.0, 10.0, 20.0]))
        row = {"participant": participant, "redcap_event_name": "baseline_arm_1", "medication_complete": "2"}
        row |= {"redcap_repeat_instrument": "medication", "redcap_repeat_instance": str(instance)}
        rows.append(row | {"drug": str(code), "drug_start": str(begun), "dose": dose})
    return rows


def _enrolment(rng: np.random.Generator, start: datetime.date, age: int, is_female: bool) -> dict[str, str]:
    birth = start.replace(year=start.year - age, day=1) - datetime.timedelta(days=int(rng.integers(0, 300)))
    first, last = str(rng.choice(FIRST_NAMES)), str(rng.choice(LAST_NAMES))
    races = {str(rng.choice(list(RACES), p=RACE_SHARES))}
    if rng.random() < 0.04:
        races.add(str(rng.choice(list(RACES))))
    row = {"consent_date": str(start), "first_name": first, "last_name": last, "dob": str(birth), "age": str(age)}
    row |= {"email": f"{first}.{last}{rng.integers(10, 99)}@example.org".lower(), "sex": "1" if is_female else "2"}
    row |= {f"race___{code}": str(int(code in races)) for code in RACES}
    words = str(rng.choice(["", "Was treated at the city hospital before.", "Father had a stroke.", "No operations."]))
    return row | {"smoker": str(int(rng.random() < 0.25)), "history": words, "enrolment_complete": "2"}


if __name__ == "__main__":
    demo = Path(__file__).resolve().parents[2] / "pilot_report" / "REDCAP_DEMO"
    demo.mkdir(exist_ok=True)
    write_redcap_demo(demo)
