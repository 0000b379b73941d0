"""What a person decides about a column is what every room is told of it, and of nothing else."""

from __future__ import annotations

from disclosure_control.basics.settings.fields import read
from disclosure_control.basics.settings.kinds import Place
from study.columns.decisions import with_decisions
from study.columns.known_to_outsiders import AS_DECIDED, known_to_outsiders
from study.merge.combine import combine_domains
from study.merge.settings import MergeSettings
from study.merge.subject_ids import SubjectIdRule
from study.models.column_roles import SEEN
from study.models.roles import ColumnModel, Role, TableKind, TableModel
from study.models.study_model import OPERATION_OF_ROLE, StudyModel
from study.operations import Operation, OperationKind, VariableClass

OF_A_STANDARD = Operation(OperationKind.KEEP, VariableClass.NOT_IDENTIFYING, "a standard")
COLUMNS = {
    "code": ColumnModel(Role.UNKNOWN, is_guessed=True),
    "score": ColumnModel(Role.NUMBER, is_guessed=True),
    "weight": ColumnModel(Role.NUMBER, is_guessed=True, says=SEEN),
    "flag": ColumnModel(Role.FLAG, says=OF_A_STANDARD),
}
MODEL = StudyModel("flat", "", "id", "T", {"T": TableModel("T", TableKind.PEOPLE, columns=COLUMNS)})


def decided(**columns: dict) -> MergeSettings:
    return read(MergeSettings, {"columns": {f"T__{name}": one for name, one in columns.items()}}, Place("merge"))


def test_a_role_that_somebody_decided_is_the_role_and_its_operation():
    model = with_decisions(MODEL, decided(code={"role": "verbatim text"}, flag={"role": "site"}).columns)
    assert model.operation("T", "code") == OPERATION_OF_ROLE[Role.VERBATIM]
    assert model.operation("T", "flag") == OPERATION_OF_ROLE[Role.SITE]
    assert list(model.tables["T"].columns) == list(COLUMNS)
    assert model.column("T", "score") == COLUMNS["score"]
    assert model.column("T", "nowhere") is None


def test_to_agree_with_what_is_there_changes_nothing():
    same = {name: {"role": str(one.role)} for name, one in COLUMNS.items() if one.role is not Role.UNKNOWN}
    model = with_decisions(MODEL, decided(**same).columns)
    assert dict(model.tables["T"].columns) == COLUMNS


def test_what_outsiders_know_of_a_number_follows_the_decision():
    settings = decided(score={"known_to_outsiders": True}, weight={"known_to_outsiders": False})
    model = with_decisions(MODEL, settings.columns)
    assert model.operation("T", "score") == SEEN
    assert model.operation("T", "weight") == OPERATION_OF_ROLE[Role.NUMBER]


def test_a_variable_of_supplemental_rows_has_the_operation_of_its_role():
    model = with_decisions(MODEL, decided(QNAM={"role": "flag"}).columns)
    assert model.operation("T", "QNAM") == OPERATION_OF_ROLE[Role.FLAG]
    assert model.operation("T", "OTHER") == MODEL.operation("T", "OTHER")


def test_the_decision_stands_above_the_name():
    names = ["T__weight", "T__age", "T__score"]
    assert known_to_outsiders(names) == {"T__weight": "body measure", "T__age": "age"}
    assert known_to_outsiders(names, {"T__age": False, "T__score": True}) == {
        "T__weight": "body measure",
        "T__score": AS_DECIDED,
    }


def test_codes_for_missing_are_missing_in_their_column_alone(tmp_path):
    (tmp_path / "T.csv").write_text("id,a,b\nP1,-99,-99\nP2,5,6\nP3,7,999\n", encoding="utf-8")
    settings = decided(a={"missing": ["-99"]})
    combined = combine_domains(tmp_path, SubjectIdRule(column="id"), settings).frame
    assert combined["T__a"].isna().tolist() == [True, False, False]
    assert combined["T__b"].tolist() == ["-99", "6", "999"]
