"""Why a column of a config is not in the combined dataset: the fault names the room where it was left."""

from __future__ import annotations

import json

import pytest

from disclosure_control.assess.absent_columns import known_columns
from disclosure_control.basics.settings.kinds import Place
from disclosure_control.basics.telling.faults import ColumnNames, nearest_name
from study.merge.combine import combine_domains
from study.merge.subject_ids import SubjectIdRule
from tests.config_keys import settings_of_key
from tests.study.merge.merge_files import finding, write

FILES = {
    "dm.csv": [{"USUBJID": "S1", "SUBJID": "1", "AGE": "50", "SITEID": "7", "ARM": "A"}],
    "ae.csv": [{"USUBJID": "S1", "AETERM": "HEADACHE", "AEDECOD": "HEADACHE"}],
    "lb.csv": [finding("LB", TEST="Glucose", STRESN="5")],
    "qs.csv": [{"USUBJID": "S1", "QSTEST": "x", "QSORRES": "1"}],
    "suppdm.csv": [{"RDOMAIN": "DM", "USUBJID": "S1", "IDVAR": "", "IDVARVAL": "", "QNAM": "RACE1", "QVAL": "WHITE"}],
}
MERGE = {"ignore": ["SUPPDM", "QS"], "drop": ["DM__SITEID"]}


@pytest.fixture(scope="module")
def columns(tmp_path_factory) -> ColumnNames:
    """The columns of a merged pilot, beside its report."""
    folder = tmp_path_factory.mktemp("pilot")
    for name, rows in FILES.items():
        write(folder / name, rows)
    combined = combine_domains(folder, SubjectIdRule(), settings_of_key("merge", MERGE))
    (folder / "merge_report.json").write_text(json.dumps(combined.report))
    return known_columns(list(combined.frame), folder)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("AE__AEDECOD", 'asked for: merge: {"events": {"AE": {"AEDECOD": ["..."]}}}'),
        ("AE__AEDECOD=NAUSEA", 'asked for: merge: {"events": {"AE": {"AEDECOD": ["NAUSEA"]}}}'),
        ("DM__SITEID", "the merge drops it, by merge['drop']"),
        ("DM__SUBJID", "the merge leaves SUBJID out, as an id"),
        ("DM__RACE1", "suppdm.csv may bring it, and is left out: ignored by the config"),
        ("QS__x", "qs.csv would bring it, and is left out: ignored by the config"),
        ("dm__Age", "it is spelt 'DM__AGE' there: capital letters and blanks count"),
        (" DM__ AGE", "it is spelt 'DM__AGE' there"),
        ("LB__LBSTRESN", "LB has one column for each test, LB__<test>"),
        ("LB__Glucos", "did you mean 'LB__Glucose'?"),
    ],
)
def test_a_fault_names_the_room(columns, name, says):
    [fault] = Place("explore", columns=columns).faults_of_columns([name])
    assert fault.startswith(f"explore: column {name!r} is not in the combined dataset; ")
    assert says in fault


def test_columns_that_are_there_are_no_fault(columns):
    assert Place("explore", columns=columns).faults_of_columns(columns) == []


@pytest.mark.parametrize("report", ["{}", "[1]", "{", '{"domains": [], "dropped_columns": []}'])
def test_without_a_report_the_nearest_name_is_what_is_left(tmp_path, report):
    (tmp_path / "merge_report.json").write_text(report)
    assert nearest_name("DM__AG", known_columns(["DM__AGE"], tmp_path)) == "; did you mean 'DM__AGE'?"
    assert nearest_name("DM__AG", known_columns(["DM__AGE"], tmp_path / "nowhere")) == "; did you mean 'DM__AGE'?"
