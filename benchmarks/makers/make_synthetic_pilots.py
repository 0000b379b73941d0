"""Write the two pilots that come with the project. Every person in them is invented.

    python benchmarks/makers/make_synthetic_pilots.py

PENTELI      633 children of an obesity clinic, wide CSV. Built around the figures that its privacy report
             published: the 86 children without a gap in their quasi-identifiers give exactly those; the other
             547 are what that report left out. Each file has its own delimiter, encoding and spelling of ids.
SDTM_DEMO    60 adults of a trial that never was, long SDTM as SAS transport files (XPT) and Dataset-JSON, with
             the traps that real submissions set. tests/test_synthetic_pilots.py lists them one by one.

Seeded: each run writes the same bytes. XPT headers carry the time of writing; a fixed one is put in its place.
"""

from __future__ import annotations

import datetime
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pyreadstat

SEED = 3


def write_pilots(folder: Path) -> None:
    """Write ``PENTELI/`` and ``SDTM_DEMO/`` below ``folder``, over what an earlier run wrote."""
    for number, (name, write) in enumerate([("PENTELI", write_penteli), ("SDTM_DEMO", write_sdtm_demo)]):
        (folder / name).mkdir(parents=True, exist_ok=True)
        write(folder / name, np.random.default_rng([SEED, number]))


def _whole_number(rng: np.random.Generator, low: int, high: int) -> int:
    return int(rng.integers(low, high + 1))


def _one_of(rng: np.random.Generator, values: list[str], p: list[float] | None = None) -> str:
    return str(rng.choice(values, p=p))


def _days_after(start: datetime.date, days: int) -> str:
    return str(start + datetime.timedelta(days=days))


# ---------------------------------------------------------------- PENTELI

# Children without a gap: sex, district, age bin, BMI bin, how many, and the cholesterol values (mg/dL) of those
# who have one. 202; 168, 24, 158; 185; 187, 173, 189, 173; and 160, 200 were published, with their distance from
# all values together. The others were searched for (annealing over whole numbers) until those five distances came
# out to the second decimal and no other class passed 30.
COMPLETE_CHILDREN = [
    ("M", "Rural", "6--12", "20--30", 1, [185]),
    ("M", "Rural", "12--18", "20--30", 2, [142, 164]),
    ("F", "Rural", "12--18", "20--30", 2, [150]),
    ("F", "Rural", "6--12", "0--20", 2, [145]),
    ("M", "Rural", "12--18", "30--40", 2, [160, 200]),
    ("F", "Urban", "6--12", "30--40", 4, [103, 178, 170]),
    ("M", "Urban", "12--18", "0--20", 4, [171, 114, 141]),
    ("F", "Urban", "0--6", "0--20", 2, [202]),
    ("M", "Urban", "6--12", "0--20", 6, [168, 24, 158]),
    ("M", "Urban", "12--18", "30--40", 6, [187, 173, 189, 173]),
    ("M", "Urban", "6--12", "20--30", 14, [119, 129, 185, 109, 128, 130, 136, 129, 188]),
    ("F", "Urban", "6--12", "20--30", 13, [245, 114, 139, 162, 213, 106, 153, 160]),
    ("M", "Urban", "12--18", "20--30", 9, [142, 152, 232, 135, 163]),
    ("F", "Urban", "12--18", "20--30", 8, [114, 161, 190, 104, 154]),
    ("F", "Urban", "12--18", "30--40", 5, [155, 118, 138]),
    ("F", "Urban", "6--12", "0--20", 6, [185, 150, 125]),
]
N_CHILDREN = 633
AGES = {"0--6": (3, 5), "6--12": (6, 11), "12--18": (12, 18)}
BMIS = {"0--20": (16, 19.5), "20--30": (20.5, 29.5), "30--40": (30.5, 39)}
MEDIAN_HEIGHT = ([2, 6, 12, 18], [87, 116, 150, 170])  # years, cm
SHARE_WITHOUT_RECORD = {"VS": 0.2, "SC": 0.02, "LB": 0.12}  # of the children with a gap
COUNTRY, DISTRICT = "Country of Permanent Address", "District of Permanent Address"
OFFICE, OFFICES = "Name of District Office", ["Αττική", "Αχαΐα", "Βοιωτία", "Εύβοια", "Ηράκλειο", "Κορινθία"]
# Each file: how it spells a subject, its columns, its encoding, its delimiter and decimal mark.
PENTELI_FILES = {
    "DM": ("PENTELI-{:04d}", ["RFSTDTC", "AGE", "AGEU", "SEX"], "utf-8", ",", "."),
    "VS": ("penteli_{}", ["Height", "Weight", "BMI", "VSDTC"], "utf-8", ";", ","),
    "LB": (" P {:04d} ", ["Cholesterol", "Glucose", "LBDTC"], "utf-8-sig", ",", "."),
    "SC": ("{}", [COUNTRY, DISTRICT, OFFICE], "cp1253", ",", "."),
}


def write_penteli(folder: Path, rng: np.random.Generator) -> None:
    """One row per child; each file has an order of rows of its own, and VS, LB and SC do not know every child."""
    children = [child for row in COMPLETE_CHILDREN for child in _complete_children(rng, *row)]
    children += [_child_with_a_gap(rng) for _ in range(N_CHILDREN - len(children))]
    children = [children[position] for position in rng.permutation(N_CHILDREN)]
    for number, child in enumerate(children, start=1):
        seen = datetime.date(2019, 1, 7) + datetime.timedelta(days=_whole_number(rng, 0, 1500))
        child |= {"number": number, "RFSTDTC": str(seen), "VSDTC": str(seen), "AGEU": "YEARS"}
        child["LBDTC"] = _days_after(seen, _whole_number(rng, 0, 14))
    for domain, (spelling, columns, encoding, delimiter, decimal_mark) in PENTELI_FILES.items():
        present = [child for child in children if domain not in child["absent_from"]]
        present = [present[position] for position in rng.permutation(len(present))]
        lines = [["STUDYID", "DOMAIN", "USUBJID", *columns]]
        for child in present:
            cells = [_cell(child[column], decimal_mark) for column in columns]
            lines.append(["PENTELI", domain, spelling.format(child["number"]), *cells])
        text = "".join(delimiter.join(line) + "\n" for line in lines)
        (folder / f"{domain}.csv").write_bytes(text.encode(encoding))


def _cell(value: str | int | float | None, decimal_mark: str) -> str:
    text = "" if value is None else str(value)
    return text.replace(".", decimal_mark) if isinstance(value, float) else text


def _complete_children(rng, sex, district, age_bin, bmi_bin, n_children, cholesterols) -> list[dict]:
    values = cholesterols + [None] * (n_children - len(cholesterols))
    ages = [_whole_number(rng, *AGES[age_bin]) for _ in values]
    return [
        _child(rng, sex, age, rng.uniform(*BMIS[bmi_bin]), "Greece", district, value)
        for age, value in zip(ages, values, strict=True)
    ]


def _child(rng, sex, age, bmi, country, district, cholesterol) -> dict:
    height = round(float(np.interp(age, *MEDIAN_HEIGHT) + rng.normal(0, 4)))
    weight = round(float(bmi) * (height / 100) ** 2, 1)
    child = {"SEX": sex, "AGE": age, "Height": height, "Weight": weight}
    child |= {"BMI": round(weight / (height / 100) ** 2, 1), COUNTRY: country, DISTRICT: district}
    child[OFFICE] = _one_of(rng, OFFICES) if country == "Greece" else None
    return child | {"Cholesterol": cholesterol, "Glucose": _whole_number(rng, 72, 108), "absent_from": set()}


def _child_with_a_gap(rng: np.random.Generator) -> dict:
    """A child with at least one quasi-identifier that is missing or outside its bins."""

    def happens(share: float) -> bool:
        return bool(rng.random() < share)

    age = _whole_number(rng, 19, 20) if happens(0.015) else _whole_number(rng, 3, 17)
    bmi = rng.uniform(40.5, 46) if age > 11 and happens(0.1) else min(max(rng.normal(25, 2.8), 16), 39)
    country = _one_of(rng, ["Greece", "Albania", "Cyprus"], [0.994, 0.003, 0.003])
    cholesterol = round(min(max(rng.normal(158, 30), 88), 262)) if happens(0.7) else None
    sex, district = _one_of(rng, ["F", "M"]), _one_of(rng, ["Urban", "Rural"], [0.75, 0.25])
    child = _child(rng, sex, age, bmi, country, district, cholesterol)
    if happens(0.65):  # measured, never weighed
        child |= {"Weight": None, "BMI": None}
    if happens(0.18):
        child |= {DISTRICT: None, OFFICE: None}
    if happens(0.006):
        child["AGE"] = None
    child["absent_from"] = {domain for domain, share in SHARE_WITHOUT_RECORD.items() if happens(share)}
    missing = None in (child["AGE"], child["BMI"], child[DISTRICT]) or child["absent_from"] & {"VS", "SC"}
    has_gap = missing or child["AGE"] > AGES["12--18"][1] or child["BMI"] > 40
    return child if has_gap else _child_with_a_gap(rng)


# ---------------------------------------------------------------- SDTM_DEMO: labels and file formats


def _labels(text: str) -> dict[str, str]:
    return dict(entry.split("=") for entry in " ".join(text.split()).split("; "))


DOMAIN_LABELS = _labels("""
DM=Demographics; SUPPDM=Supplemental Qualifiers for DM; VS=Vital Signs; LBCH=Laboratory Test Results - Chemistry;
LBHE=Laboratory Test Results - Hematology; SUPPLBCH=Supplemental Qualifiers for LB; SC=Subject Characteristics;
AE=Adverse Events; MH=Medical History; CM=Concomitant/Prior Medications; EX=Exposure; DS=Disposition;
SV=Subject Visits; SE=Subject Elements; TS=Trial Summary; RELREC=Related Records
""")
# SDTM's label of each variable; one that begins with "--" applies to every domain without a label of its own.
LABELS = _labels("""
STUDYID=Study Identifier; DOMAIN=Domain Abbreviation; RDOMAIN=Related Domain Abbreviation; --SEQ=Sequence Number;
USUBJID=Unique Subject Identifier; SUBJID=Subject Identifier for the Study; SITEID=Study Site Identifier; AGE=Age;
RFSTDTC=Subject Reference Start Date/Time; RFENDTC=Subject Reference End Date/Time; DTHFL=Subject Death Flag;
AGEU=Age Units; SEX=Sex; RACE=Race; ETHNIC=Ethnicity; ARMCD=Planned Arm Code; ARM=Description of Planned Arm;
COUNTRY=Country; VISITNUM=Visit Number; VISIT=Visit Name; EPOCH=Epoch; --DTC=Date/Time of Collection;
VSTESTCD=Vital Signs Test Short Name; VSTEST=Vital Signs Test Name; VSPOS=Vital Signs Position of Subject;
VSLOC=Location of Vital Signs Measurement; VSDTC=Date/Time of Measurements; --TPT=Planned Time Point Name;
--TPTNUM=Planned Time Point Number; --STAT=Completion Status; --LOBXFL=Last Observation Before Exposure Flag;
LBTESTCD=Lab Test or Examination Short Name; LBTEST=Lab Test or Examination Name; LBCAT=Category for Lab Test;
LBDTC=Date/Time of Specimen Collection; --BLFL=Baseline Flag; SCTESTCD=Subject Characteristic Short Name;
SCTEST=Subject Characteristic; --ORRES=Result or Finding in Original Units; --ORRESU=Original Units;
--STRESC=Character Result/Finding in Std Format; --STRESN=Numeric Result/Finding in Standard Units;
--STRESU=Standard Units; --DECOD=Dictionary-Derived Term; AETERM=Reported Term for the Adverse Event;
AESEV=Severity/Intensity; AESER=Serious Event; AESTDTC=Start Date/Time of Adverse Event;
MHTERM=Reported Term for the Medical History; MHSTDTC=Start Date/Time of Medical History Event;
CMTRT=Reported Name of Drug, Med, or Therapy; CMDOSE=Dose per Administration; --DOSU=Dose Units;
CMSTDTC=Start Date/Time of Medication; CMENDTC=End Date/Time of Medication; EXTRT=Name of Treatment; EXDOSE=Dose;
EXSTDTC=Start Date/Time of Treatment; EXENDTC=End Date/Time of Treatment; DSCAT=Category for Disposition Event;
DSTERM=Reported Term for the Disposition Event; DSDECOD=Standardized Disposition Term;
DSSTDTC=Start Date/Time of Disposition Event; SVSTDTC=Start Date/Time of Visit; SVENDTC=End Date/Time of Visit;
ETCD=Element Code; ELEMENT=Description of Element; SESTDTC=Start Date/Time of Element;
SEENDTC=End Date/Time of Element; TSPARMCD=Trial Summary Parameter Short Name; TSPARM=Trial Summary Parameter;
TSVAL=Parameter Value; IDVAR=Identifying Variable; IDVARVAL=Identifying Variable Value; QVAL=Data Value;
QNAM=Qualifier Variable Name; QLABEL=Qualifier Variable Label; QORIG=Origin; RELTYPE=Relationship Type;
RELID=Relationship Identifier
""")


def _label(column: str) -> str:
    return LABELS.get(column) or LABELS["--" + column[2:]]


def _records(columns: str, rows: list[tuple]) -> list[dict]:
    return [dict(zip(columns.split(), row, strict=True)) for row in rows]


def _write_xpt(folder: Path, name: str, rows: list[dict], version: int = 5) -> None:
    """XPT knows text and floats only; a missing text is blank. ``name``: LBCH for lbch.xpt."""
    frame = pd.DataFrame(rows)
    for column in frame:
        is_text = any(isinstance(value, str) for value in frame[column])
        frame[column] = frame[column].astype(str if is_text else float)
    path, labels = folder / f"{name.lower()}.xpt", [_label(column) for column in frame]
    pyreadstat.write_xport(frame, path, DOMAIN_LABELS[name], labels, name, file_format_version=version)
    content = re.sub(rb"\d\d[A-Z]{3}\d\d(:\d\d){3}", b"01JAN24:00:00:00", path.read_bytes())
    path.write_bytes(content.replace(b"Sponsor's", b"Sponsor\x92s"))  # cp1252's apostrophe is not UTF-8


def _write_dataset_json(folder: Path, name: str, rows: list[dict], version="1.1.0", suffix="json") -> None:
    """Version 1.1.0 as one object or, with suffix ndjson, one row a line; 1.0.0 nests it all in itemGroupData."""
    columns = [_described_column(name, column, [row[column] for row in rows]) for column in rows[0]]
    data = [list(row.values()) for row in rows]
    group = {"records": len(rows), "name": name, "label": DOMAIN_LABELS[name]}
    study, written = {"studyOID": "SDTM_DEMO", "metaDataVersionOID": "MDV.SDTM_DEMO"}, "2024-01-01T00:00:00"
    if version == "1.0.0":
        sequence = {"itemOID": "ITEMGROUPDATASEQ", "name": "ITEMGROUPDATASEQ", "label": "Record Identifier"}
        keys = {"itemOID": "OID", "name": "name", "label": "label", "dataType": "type", "length": "length"}
        items = [
            {keys[key]: "string" if value == "date" else value for key, value in column.items()}
            for column in [sequence | {"dataType": "integer"}, *columns]
        ]
        group |= {"items": items, "itemData": [[number, *row] for number, row in enumerate(data, start=1)]}
        head = {"creationDateTime": written, "datasetJSONVersion": version}
        parts = [head | {"clinicalData": study | {"itemGroupData": {f"IG.{name}": group}}}]
    else:
        head = {"datasetJSONCreationDateTime": written, "datasetJSONVersion": version, **study}
        head |= {"itemGroupOID": f"IG.{name}", **group, "columns": columns}
        parts = [head, *data] if suffix == "ndjson" else [head | {"rows": data}]
    text = "".join(json.dumps(part, separators=(",", ":")) + "\n" for part in parts)
    (folder / f"{name.lower()}.{suffix}").write_bytes(text.encode())


def _described_column(name: str, column: str, values: list) -> dict:
    described = {"itemOID": f"IT.{name}.{column}", "name": column, "label": _label(column)}
    present = [value for value in values if value is not None]
    if column == "VSSTRESN":
        return described | {"dataType": "decimal", "targetDataType": "decimal"}
    if column.endswith("DTC"):
        return described | {"dataType": "date"}
    if all(isinstance(value, str) for value in present):
        return described | {"dataType": "string", "length": max(1, *map(len, present))}
    return described | {"dataType": "integer" if all(isinstance(value, int) for value in present) else "float"}


# ---------------------------------------------------------------- SDTM_DEMO: the trial

N_SUBJECTS, N_TREATED = 60, 52
VISITS = {1.0: ("SCREENING", -14), 3.0: ("BASELINE", 0), 3.5: ("UNSCHEDULED 3.5", 5), 4.0: ("WEEK 2", 14)}
VISIT_COLUMNS = "VISITNUM VISIT EPOCH"
ARMS = {"PBO": "Placebo", "ACT": "Demodrug 40 mg", "SCRNFAIL": "Screen Failure"}
NOWHERE = ("", "", None)  # position, time point and its number
SUPINE = ("SUPINE", "AFTER LYING DOWN FOR 5 MINUTES", 815)
STANDING_1 = ("STANDING", "AFTER STANDING FOR 1 MINUTE", 816)
STANDING_3 = ("STANDING", "AFTER STANDING FOR 3 MINUTES", 817)
EVENTS = ["HEADACHE", "NAUSEA", "DIZZINESS", "PRURITUS", "FATIGUE"]
HISTORY = ["HYPERTENSION", "CATARACT", "OSTEOARTHRITIS", "TYPE 2 DIABETES MELLITUS", "APPENDICECTOMY"]
MEDICATIONS = {"ASPIRIN": 100.0, "METFORMIN": 850.0, "LISINOPRIL": 10.0, "SIMVASTATIN": 20.0}
TRIAL_SUMMARY = [
    ("SDTM_DEMO", "TS", 1, "TITLE", "Trial Title", "An Invented Trial of Demodrug in the Sponsor's Patients"),
    ("SDTM_DEMO", "TS", 1, "PLANSUB", "Planned Number of Subjects", "60"),
]
SUPPLEMENTAL = "STUDYID RDOMAIN USUBJID IDVAR IDVARVAL QNAM QLABEL QVAL QORIG"


def write_sdtm_demo(folder: Path, rng: np.random.Generator) -> None:
    """Sixteen files of one trial; the last eight subjects failed screening and are in DM, DS, SV and SE alone."""
    tables: dict[str, list[dict]] = {}
    for subject in [_subject(rng, number) for number in range(N_SUBJECTS)]:
        found = {"DM": [subject["dm"]], **_course(subject)}
        if subject["arm"] != "SCRNFAIL":
            found |= {"VS": _vital_signs(rng, subject), "LB": _laboratory(rng, subject)}
            found |= {"SC": _characteristics(rng, subject), **_history_and_treatment(rng, subject)}
            tables.setdefault("SUPPDM", []).extend(_population_flags(rng, subject))
        for domain, rows in found.items():
            keys = {"STUDYID": "SDTM_DEMO", "DOMAIN": domain, "USUBJID": subject["id"]}
            for number, row in enumerate(rows, start=1):
                sequence = {} if domain in ("DM", "SV") else {f"{domain}SEQ": number}
                tables.setdefault(domain, []).append(keys | sequence | row)
    laboratory = tables.pop("LB")
    tables["LBCH"] = [row for row in laboratory if row["LBCAT"] == "CHEMISTRY"]
    tables["LBHE"] = [row for row in laboratory if row["LBCAT"] == "HEMATOLOGY"]
    tables["SUPPLBCH"] = [_result_per_limit(row) for row in laboratory if row["LBTESTCD"] == "CHOL"]
    tables["TS"] = _records("STUDYID DOMAIN TSSEQ TSPARMCD TSPARM TSVAL", TRIAL_SUMMARY)
    tables["RELREC"] = _related(tables["AE"], tables["CM"])
    for name in ("DM", "LBCH", "AE", "CM", "EX", "DS", "SV", "SE", "TS", "RELREC"):
        _write_xpt(folder, name, tables[name])
    _write_xpt(folder, "LBHE", tables["LBHE"], version=8)
    for name in ("SUPPDM", "SUPPLBCH", "MH"):
        _write_dataset_json(folder, name, tables[name])
    _write_dataset_json(folder, "VS", tables["VS"], suffix="ndjson")
    _write_dataset_json(folder, "SC", tables["SC"], version="1.0.0")


def _subject(rng: np.random.Generator, number: int) -> dict:
    """What the domains share: id, number, date of the first dose (``start``), arm, visits, and the row of DM."""
    site, name = f"{12 + number % 3:03d}", f"{107 + 13 * number:04d}"  # text that looks like whole numbers
    start = datetime.date(2021, 3, 1) + datetime.timedelta(days=_whole_number(rng, 0, 400))
    arm = "SCRNFAIL" if number >= N_TREATED else ["ACT", "PBO"][number % 2]
    period = ("", "") if arm == "SCRNFAIL" else (str(start), _days_after(start, 14))
    age, sex = _whole_number(rng, 51, 88), _one_of(rng, ["F", "M"], [0.55, 0.45])
    race = _one_of(rng, ["WHITE", "BLACK OR AFRICAN AMERICAN", "ASIAN"], [0.84, 0.11, 0.05])
    ethnic = _one_of(rng, ["HISPANIC OR LATINO", "NOT HISPANIC OR LATINO", ""], [0.08, 0.87, 0.05])
    row = (name, *period, "Y" if number == 20 else "", site, age, "YEARS", sex, race, ethnic)
    columns = "SUBJID RFSTDTC RFENDTC DTHFL SITEID AGE AGEU SEX RACE ETHNIC ARMCD ARM COUNTRY DMDTC"
    [dm] = _records(columns, [(*row, arm, ARMS[arm], "USA", _days_after(start, -14))])
    visits = [visit for visit in VISITS if visit != 3.5 or number % 9 == 4] if arm != "SCRNFAIL" else [1.0]
    return {"id": f"04-{site}-{name}", "number": number, "start": start, "arm": arm, "visits": visits, "dm": dm}


def _at(visit: float, subject: dict) -> tuple[float, str, str, str]:
    name, day = VISITS[visit]
    return visit, name, "SCREENING" if day < 0 else "TREATMENT", _days_after(subject["start"], day)


def _vital_signs(rng: np.random.Generator, subject: dict) -> list[dict]:
    """Blood pressure by position and time point, temperature by location; height has no baseline flag."""
    number, weight, systolic = subject["number"], rng.normal(74, 12), rng.normal(134, 12)
    measured = []
    for visit in subject["visits"]:
        if visit == 1:
            measured.append((visit, "HEIGHT", "Height", f"{rng.normal(167, 9):.1f}", "cm", "", *NOWHERE))
        location = "EAR" if number % 3 == 0 or (visit == 4 and number % 10 == 1) else "ORAL CAVITY"
        weighed, temperature, pulse = rng.normal(weight, 0.6), rng.normal(36.6, 0.3), rng.normal(71, 8)
        measured.append((visit, "WEIGHT", "Weight", f"{weighed:.1f}", "kg", "", *NOWHERE))
        measured.append((visit, "TEMP", "Temperature", f"{temperature:.1f}", "C", location, *NOWHERE))
        measured.append((visit, "PULSE", "Pulse Rate", f"{pulse:.0f}", "beats/min", "", *SUPINE))
        for place in {3.0: [SUPINE, STANDING_1, STANDING_3], 4.0: [SUPINE]}.get(visit, []):
            high, low = rng.normal(systolic, 5), rng.normal(systolic * 0.58, 4)
            measured.append((visit, "SYSBP", "Systolic Blood Pressure", f"{high:.0f}", "mmHg", "", *place))
            measured.append((visit, "DIABP", "Diastolic Blood Pressure", f"{low:.0f}", "mmHg", "", *place))
    rows = []
    for visit, code, test, text, unit, location, position, time_point, time_number in measured:
        is_done = number not in (8, 33) or time_point != STANDING_3[1]
        is_flagged = visit == 3 and is_done and (number % 11, code) != (5, "WEIGHT")
        text, decimal, unit = (text, f"{text:>8}", unit) if is_done else ("", None, "")  # the decimal: padded text
        found = (code, test, position, text, unit, text, decimal, unit, "" if is_done else "NOT DONE", location)
        rows.append((*found, "Y" if is_flagged else "", *_at(visit, subject), time_point, time_number))
    columns = "VSTESTCD VSTEST VSPOS VSORRES VSORRESU VSSTRESC VSSTRESN VSSTRESU VSSTAT VSLOC VSLOBXFL"
    return _records(f"{columns} {VISIT_COLUMNS} VSDTC VSTPT VSTPTNUM", rows)


def _laboratory(rng: np.random.Generator, subject: dict) -> list[dict]:
    """Reported in conventional units, standardised to SI; bilirubin has text results, basophils have zeros."""
    number, cholesterol, rows = subject["number"], rng.normal(212, 34), []
    for visit in [4.0] if number == 17 else [1.0, 4.0]:  # subject 17: no sample before the first dose
        measured = [
            ("CHEMISTRY", "CHOL", "Cholesterol", f"{rng.normal(cholesterol, 9):.0f}", "mg/dL", "mmol/L", 0.02586),
            ("CHEMISTRY", "GLUC", "Glucose", f"{rng.normal(98, 14):.0f}", "mg/dL", "mmol/L", 0.05551),
            ("CHEMISTRY", "BILI", "Bilirubin", f"{rng.uniform(0.06, 1.1):.1f}", "mg/dL", "umol/L", 17.1),
            ("HEMATOLOGY", "HGB", "Hemoglobin", f"{rng.normal(13.8, 1.1):.1f}", "g/dL", "mmol/L", 0.6206),
            ("HEMATOLOGY", "BASO", "Basophils", f"{max(0, rng.normal(0.02, 0.03)):.2f}", "10^9/L", "10^9/L", 1),
        ]
        for category, code, test, text, unit, standard_unit, factor in measured:
            value = round(float(text) * factor, 4)
            standard = f"{value:g}"
            if code == "BILI" and value < 3.42:
                text, standard, value = "<0.2", "<3.42", None
            is_flagged = visit == 1 and (number % 13, code) not in [(6, "CHOL"), (9, "BASO")]
            found = (code, test, category, text, unit, standard, value, standard_unit, "Y" if is_flagged else "")
            rows.append((*found, *_at(visit, subject)))
    columns = "LBTESTCD LBTEST LBCAT LBORRES LBORRESU LBSTRESC LBSTRESN LBSTRESU LBBLFL"
    return _records(f"{columns} {VISIT_COLUMNS} LBDTC", rows)


def _population_flags(rng: np.random.Generator, subject: dict) -> list[dict]:
    names = [("SAFETY", "Safety"), ("ITT", "Intent to Treat"), ("COMPLT2", "Completers of Week 2")]
    keys, n_flags = ("SDTM_DEMO", "DM", subject["id"], "", ""), 3 if rng.random() < 0.8 else 2
    rows = [(*keys, name, f"{text} Population Flag", "Y", "DERIVED") for name, text in names[:n_flags]]
    return _records(SUPPLEMENTAL, rows)


def _result_per_limit(row: dict) -> dict:
    keys = ("SDTM_DEMO", "LB", row["USUBJID"], "LBSEQ", f"{row['LBSEQ']:>8}")  # padded text; LBCH has a float
    ratio = f"{row['LBSTRESN'] / 5.17:.2f}"
    return _records(SUPPLEMENTAL, [(*keys, "LBTMSHI", "Result/Upper Limit of Normal", ratio, "DERIVED")])[0]


def _characteristics(rng: np.random.Generator, subject: dict) -> list[dict]:
    years, day = _whole_number(rng, 6, 20), _days_after(subject["start"], -14)
    status = _one_of(rng, ["MARRIED", "WIDOWED", "NEVER MARRIED"], [0.6, 0.3, 0.1])
    education = ("EDULEVEL", "Level of Education Attained", str(years), "YEARS", str(years), years, "YEARS", day)
    columns = "SCTESTCD SCTEST SCORRES SCORRESU SCSTRESC SCSTRESN SCSTRESU SCDTC"
    return _records(columns, [education, ("MARISTAT", "Marital Status", status, "", status, None, "", day)])


def _course(subject: dict) -> dict[str, list[dict]]:
    """DS, SV and SE: the domains that know screen failures as well."""
    begin, start, end = (_days_after(subject["start"], days) for days in (-14, 0, 14))
    failed, arm = subject["arm"] == "SCRNFAIL", subject["arm"]
    term = ("SCREEN FAILURE", "SCREEN FAILURE") if failed else ("COMPLETED", "COMPLETED")
    visits = [_at(visit, subject) for visit in subject["visits"]]
    elements = [("SCRN", "Screen", "SCREENING", begin, start), (arm, ARMS[arm], "TREATMENT", start, end)]
    return {
        "DS": _records("DSTERM DSDECOD DSCAT DSSTDTC", [(*term, "DISPOSITION EVENT", begin if failed else end)]),
        "SV": _records(f"{VISIT_COLUMNS} SVSTDTC SVENDTC", [(*visit, visit[-1]) for visit in visits]),
        "SE": _records("ETCD ELEMENT EPOCH SESTDTC SEENDTC", elements[: 1 if failed else 2]),
    }


def _history_and_treatment(rng: np.random.Generator, subject: dict) -> dict[str, list[dict]]:
    """AE, MH, CM and EX: dates before the trial are partial."""
    begin, start, end = (_days_after(subject["start"], days) for days in (-14, 0, 13))

    def some(names: list[str], least: int) -> list[str]:
        return [str(name) for name in rng.choice(names, size=_whole_number(rng, least, 2), replace=False)]

    def partial_date() -> str:
        date = _days_after(subject["start"], -_whole_number(rng, 300, 5000))
        return date[: rng.choice([0, 4, 7, 10])]

    events, drug = some(EVENTS, 0), ("PLACEBO", 0.0) if subject["arm"] == "PBO" else ("DEMODRUG", 40.0)
    history = [(term, term, begin, partial_date()) for term in some(HISTORY, 1)]
    medications = [(name, MEDICATIONS[name], "mg", partial_date(), "") for name in some(list(MEDICATIONS), 0)]
    return {
        "AE": _records("AETERM AEDECOD AESEV AESER AESTDTC", [(t.lower(), t, "MILD", "N", start) for t in events]),
        "MH": _records("MHTERM MHDECOD MHDTC MHSTDTC", history),
        "CM": _records("CMTRT CMDOSE CMDOSU CMSTDTC CMENDTC", medications),
        "EX": _records("EXTRT EXDOSE EXDOSU EXSTDTC EXENDTC", [(*drug, "mg", start, end)]),
    }


def _related(events: list[dict], medications: list[dict]) -> list[dict]:
    """Ten pairs of an event and a medication of the same subject, each pair with an id of its own."""
    given_to = {row["USUBJID"]: row for row in medications}
    pairs = [(event, given_to[event["USUBJID"]]) for event in events if event["USUBJID"] in given_to][:10]
    rows = [
        ("SDTM_DEMO", row["DOMAIN"], row["USUBJID"], key, str(row[key]), "", f"R{number}")
        for number, pair in enumerate(pairs, start=1)
        for key, row in zip(("AESEQ", "CMSEQ"), pair, strict=True)
    ]
    return _records("STUDYID RDOMAIN USUBJID IDVAR IDVARVAL RELTYPE RELID", rows)


if __name__ == "__main__":
    write_pilots(Path(__file__).resolve().parents[2] / "pilot_report")
