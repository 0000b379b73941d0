"""A column that nobody understood is in no file that leaves; what a person decides about it is what is done."""

from __future__ import annotations

import pandas as pd
import pytest

from disclosure_control.basics.settings.fields import read
from disclosure_control.basics.settings.kinds import Place
from disclosure_control.release.study import read_study
from study.columns.decisions import ColumnDecision, with_decisions
from study.formats.tables import SourceTable
from study.merge.settings import MergeSettings
from study.merge.subject_ids import SubjectIdRule
from study.models.registry import study_model
from study.models.roles import Role
from study.operations import OperationKind
from tests.cases import each

N = 60
TABLE = SourceTable(
    "REG",
    "REG.csv",
    "",
    pd.DataFrame(
        {
            "patient_id": [f"P{n:03}" for n in range(N)],
            "sex": ["m", "f"] * (N // 2),
            "P³eæ": ["k", "q"] * (N // 2),  # in the letters of another code page
            "Tallaaja": [f"{150 + n}.5" for n in range(N)],  # numbers, in words that no list has
            "zrk": [str(n % 2) for n in range(N)],
            "vrba": ["yes", "no"] * (N // 2),
            "sex_no_condom_last3m": [str(n % 3) for n in range(N)],
            "partner_prison": ["0", "1"] * (N // 2),
            "Gewicht": [f"{60 + n}.5" for n in range(N)],
            "crp_week4": [f"{n}.5" for n in range(N)],
            "pain_nrs": [str(n % 10) for n in range(N)],
            "genotype": ["AA", "Aa", "aa"] * (N // 3),
        },
        dtype="str",
    ),
    {},
    (),
)
MODEL = study_model([TABLE], "patient_id")
CLOSED = ["P³eæ", "Tallaaja", "zrk", "vrba", "sex_no_condom_last3m", "partner_prison"]


def test_what_only_its_values_show_stays_here_and_what_is_understood_leaves():
    names = TABLE.frame.columns
    assert [name for name in names if MODEL.operation("REG", name).operation is OperationKind.REVIEW] == CLOSED


@each("name", CLOSED)
@pytest.mark.parametrize("known", [True, False])
def test_a_decision_opens_it(known, name):
    model = with_decisions(MODEL, {f"REG__{name}": ColumnDecision(known_to_outsiders=known)})
    operation = model.operation("REG", name).operation
    assert operation is (OperationKind.NO_FURTHER if known else OperationKind.KEEP)


def test_codes_for_missing_alone_open_nothing():
    model = with_decisions(MODEL, {"REG__zrk": ColumnDecision(missing=("9",))})
    assert model.operation("REG", "zrk").operation is OperationKind.REVIEW


ORGANS, KINDS = (
    ("renal", "hepatic", "gastric", "thyroid", "cardiac"),
    ("carcinoma", "neoplasm", "infarction", "abscess"),
)
DIAGNOSES = [f"{organ} {kind}" for organ in ORGANS for kind in KINDS]


@each(
    "heading, texts, role",
    [
        ("diagnosis", DIAGNOSES[:N], Role.CODED_TERM),
        ("Disease", [f"{one} stage {n}" for n, one in enumerate(DIAGNOSES * 3)], Role.CODED_TERM),
        ("diagnosis", [f"seen by Huber on day {n}, told to return soon" for n in range(N)], Role.VERBATIM),
    ],
)
def test_a_diagnosis_of_many_values_is_a_term_by_its_heading_and_words_of_medicine(heading, texts, role):
    frame = pd.DataFrame({"patient_id": [f"P{n:03}" for n in range(len(texts))], heading: texts}, dtype="str")
    table = SourceTable("REG", "REG.csv", "", frame, {}, ())
    assert study_model([table], "patient_id").column("REG", heading).role is role


@pytest.mark.thorough("0.3 s")
@each("decided, operation", [({}, "review"), ({"known_to_outsiders": False}, "keep"), ({"role": "unknown"}, "review")])
def test_a_release_goes_by_what_was_decided(decided, operation, tmp_path):
    TABLE.frame.to_csv(tmp_path / "REG.csv", index=False)
    settings = read(MergeSettings, {"columns": {"REG__zrk": decided} if decided else {}}, Place("merge"))
    study = read_study(tmp_path, TABLE.frame["patient_id"], SubjectIdRule(column="patient_id"), settings)
    assert study.model.operation("REG", "zrk").operation == operation
