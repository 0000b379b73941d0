"""Small studies of every data model, described whole: of each table and column all that a model says of it."""

from __future__ import annotations

from dataclasses import fields

import pandas as pd

from study.formats.files import find_domain_files, read_domain_file
from study.formats.tables import SourceTable
from study.models.registry import study_model
from study.models.roles import ColumnModel, TableModel
from study.models.study_model import StudyModel
from tests.cases import each
from tests.kept import changed_since_kept
from tests.places import PROJECT

N = 24
PEOPLE = [f"P{i * 7 % N:03d}" for i in range(N)]


def day(start: str, days: int) -> str:
    return str(pd.Timestamp(start) + pd.Timedelta(days=days))[:10]


def by_person(**columns) -> dict[str, list]:
    """A column of each rule: what the person of this number has."""
    return {name: [rule(i) for i in range(N)] for name, rule in columns.items()}


PATIENTS = by_person(
    patient_id=lambda i: PEOPLE[i],
    qqq=lambda i: day("1940-03-01", 777 * i),
    enrolled=lambda i: day("2019-01-01", 5 * i),
    sex=lambda i: "fm"[i % 2],
    gender_text=lambda i: ["female", "male"][i % 2],
    age=lambda i: 79 - 2 * i,
    weight=lambda i: 60.5 + i,
    city=lambda i: ["Graz", "Linz", "Wien"][i % 3],
    plz=lambda i: 1010 + 10 * (i % 4),
    diagnosis=lambda i: ["I10", "E11.9", "J45.0"][i % 3],
    zzz=lambda i: ["I10", "E11.9", "J45.0", "K21.0"][i % 4],
    arm=lambda i: "AB"[i % 2],
    site_id=lambda i: 100 + i % 3,
    comment=lambda i: f"came {i} days late and asked for water",
    phone=lambda i: f"+30 21012345{i:02d}",
    smoker=lambda i: "01"[i % 2],
    death_date=lambda i: day("2022-01-01", i) if i % 5 == 0 else "",
    status=lambda i: [1, 2, -99][i % 3],
    score=lambda i: i % 11,
    constant=lambda i: "x",
    empty=lambda i: "",
    visit=lambda i: 1 + i % 3,
    ward=lambda i: ["I1", "I2"][i % 2],
    lab_no=lambda i: 9000 + i * 13,
    yyy=lambda i: 1950 + i,
    ethnicity=lambda i: ["a", "b", "c"][i % 3],
    dose_mg=lambda i: 5 * (i % 4),
    hours=lambda i: f"{i % 24:02d}:30",
)
VISITS = by_person(
    patient_id=lambda i: PEOPLE[i // 2],
    visit_no=lambda i: 1 + i % 2,
    visit_date=lambda i: day("2019-02-01", 9 * i),
    row=lambda i: i + 1,
    systolic=lambda i: 110 + i,
    drug=lambda i: ["aspirin", "metformin"][i % 2],
    drug_code=lambda i: ["B01AC06", "A10BA02"][i % 2],
)
LABS = by_person(
    patient_id=lambda i: PEOPLE[i // 3],
    test=lambda i: ["ALT", "AST", "CRP"][i % 3],
    value=lambda i: 10 + i * 1.5,
    unit=lambda i: ["U/L", "U/L", "mg/L"][i % 3],
    taken=lambda i: day("2019-03-01", i // 3),
    flag=lambda i: ["", "H"][i % 2],
)
ADSL = by_person(
    STUDYID=lambda i: "X",
    USUBJID=lambda i: PEOPLE[i],
    AGE=lambda i: 60 + i,
    AGEGR1=lambda i: "<65",
    AGEGR1N=lambda i: 1,
    SEX=lambda i: "FM"[i % 2],
    RACE=lambda i: "W",
    RACEN=lambda i: 1,
    TRT01P=lambda i: "A",
    TRTSDT=lambda i: "2014-01-02",
    SAFFL=lambda i: "Y",
    BMIBL=lambda i: 20 + i / 4,
)
ADVS = by_person(
    USUBJID=lambda i: PEOPLE[i // 2],
    PARAMCD=lambda i: ["SYSBP", "DIABP"][i % 2],
    PARAM=lambda i: ["Systolic (mmHg)", "Diastolic (mmHg)"][i % 2],
    AVAL=lambda i: 80 + i,
    ABLFL=lambda i: "Y",
    AVISITN=lambda i: 0,
    ADT=lambda i: "2014-01-02",
    VSSEQ=lambda i: i,
    AGE=lambda i: 60 + i // 2,
)
ADAE = by_person(
    USUBJID=lambda i: PEOPLE[i],
    AETERM=lambda i: "sore",
    AEDECOD=lambda i: "PAIN",
    AEPTCD=lambda i: 10_000,
    AESEQ=lambda i: 1,
    CQ01NAM=lambda i: "x",
    ASTDT=lambda i: "2014-02-01",
    AESER=lambda i: "N",
    DCREASCD=lambda i: "DEATH",
)
STUDIES = {
    "plain": {"PATIENTS": PATIENTS, "VISITS": VISITS, "LABS": LABS},
    "one_table": {"PATIENTS": PATIENTS},
    "adam": {"ADSL": ADSL, "ADVS": ADVS, "ADAE": ADAE},
    "sdtm_and_adam": {
        "DM": by_person(USUBJID=lambda i: PEOPLE[i], RFSTDTC=lambda i: "2014", BRTHDTC=lambda i: "1950"),
        "ADSL": ADSL,
    },
}
DEMOS = ("OMOP_DEMO", "REDCAP_DEMO", "PENTELI")


def tables_of(name: str) -> list[SourceTable]:
    if name in DEMOS:
        files = find_domain_files(PROJECT / "pilot_report" / name).by_domain.values()
        return [read_domain_file(path) for path in files if path.read_bytes().count(b"\n") > 1]  # empty tables of OMOP
    texts = {domain: pd.DataFrame(rows).astype("str") for domain, rows in STUDIES[name].items()}
    return [SourceTable(one, f"{one}.csv", "", text.mask(text == ""), {}, ()) for one, text in texts.items()]


def described(model: StudyModel) -> dict:
    """Whatever of a model is not its default, apart from words."""
    tables = {
        name: _told(table, "columns", "derived", "values", "labels", "reason", "name")
        | {"derived": sorted(table.derived), "labels": len(table.labels), "values": sorted(table.values)}
        | {"columns": {one: _column(column) for one, column in table.columns.items()}}
        for name, table in model.tables.items()
    }
    told = {"tables": tables, "visits": model.tables_of_visits, "left out": sorted(model.left_out)}
    return told | {name: getattr(model, name) for name in ("model", "person", "base", "starts")}


def _column(column: ColumnModel) -> dict:
    says = column.says.operation.name if column.says else None
    return {"role": column.role, "says": says} | _told(column, "reason", "says", "role")


def _told(one: TableModel | ColumnModel, *but_for: str) -> dict:
    return {
        field.name: getattr(one, field.name)
        for field in fields(one)
        if field.name not in but_for and getattr(one, field.name)
    }


@each("name", [*STUDIES, *DEMOS])
def test_every_table_and_column_is_described_as_it_was(name):
    assert changed_since_kept(f"described_{name}", described(study_model(tables_of(name), None))) == {}
