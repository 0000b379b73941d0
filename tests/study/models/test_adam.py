"""ADaM data sets: the people of ADSL, parameters and occurrences, alone and beside SDTM."""

from __future__ import annotations

import pandas as pd
import pytest

from study.models.adam import adam_operation
from study.models.registry import study_model
from study.models.roles import TableKind
from study.operations import OperationKind
from tests.places import SHARED_DATA
from tests.study.merge.merge_files import columns_of, combine, needs_shared_data, values

ADSL = [
    {"STUDYID": "X", "USUBJID": f"S{i}", "AGE": 60 + i, "AGEGR1": "<65", "SEX": "FM"[i % 2], "TRT01P": "A",
     "TRTSDT": "2014-01-02", "SAFFL": "Y"}
    for i in range(3)
]  # fmt: skip
ADVS = [
    {"STUDYID": "X", "USUBJID": f"S{i}", "AGE": 60 + i, "PARAMCD": "SYSBP", "PARAM": "Systolic (mmHg)",
     "AVAL": 120 + i + j, "ABLFL": "Y" if j == 1 else "", "AVISITN": j, "ADT": f"2014-01-0{2 + j}"}
    for i in range(3) for j in range(3)
]  # fmt: skip
ADAE = [{"STUDYID": "X", "USUBJID": "S1", "AGE": 61, "SEX": "M", "TRTA": "A", "AETERM": "sore", "AEDECOD": "PAIN"}] * 2


def test_subjects_parameters_and_occurrences(tmp_path):
    """A parameter gives its baseline; what data sets copy of the subjects is merged once."""
    files = {"adsl.csv": ADSL, "advs.csv": ADVS, "adae.csv": ADAE}
    combined = combine(tmp_path, files, merge={"events": {"ADAE": {"AEDECOD": ["PAIN"]}}})
    assert combined.n_subjects == 3
    assert values(combined, "ADVS__Systolic (mmHg)") == {"S0": "121", "S1": "122", "S2": "123"}
    assert values(combined, "ADAE__count") == {"S0": "0", "S1": "2", "S2": "0"}
    assert values(combined, "ADAE__AEDECOD=PAIN") == {"S0": "N", "S1": "Y", "S2": "N"}
    assert columns_of(combined, "ADAE") == ["ADAE__count", "ADAE__AEDECOD=PAIN"]
    assert columns_of(combined, "ADVS") == ["ADVS__Systolic (mmHg)"]


def test_dm_lists_the_subjects_where_it_is_there(tmp_path):
    """ADSL copies from DM: its own columns alone are added."""
    demographics = [{"USUBJID": f"S{i}", "DOMAIN": "DM", "AGE": 60 + i, "SEX": "F"} for i in range(4)]
    combined = combine(tmp_path, {"dm.csv": demographics, "adsl.csv": ADSL})
    assert combined.n_subjects == 4
    assert columns_of(combined, "DM") == ["DM__AGE", "DM__SEX"]
    assert "ADSL__AGE" not in combined.frame
    assert values(combined, "ADSL__TRT01P") == {"S0": "A", "S1": "A", "S2": "A"}


@pytest.mark.parametrize(
    ("domain", "variable", "operation"),
    [
        ("ADSL", "BRTHDT", OperationKind.REMOVE),
        ("ADSL", "RANDDT", OperationKind.OFFSET),
        ("ADSL", "TRTSDTM", OperationKind.OFFSET),
        ("ADAE", "ASTTM", OperationKind.REMOVE),
        ("ADAE", "ASTDY", OperationKind.KEEP),
        ("ADAE", "AETERM", OperationKind.REMOVE),
        ("ADAE", "AEDECOD", OperationKind.NO_FURTHER),
        ("ADLB", "AVAL", OperationKind.KEEP),
        ("ADLB", "ANRHI", OperationKind.REMOVE),
        ("ADSL", "SITEGR1", OperationKind.REMOVE),
        ("ADSL", "SOMETHING", OperationKind.REVIEW),
    ],
)
def test_what_is_done_with_a_variable(domain, variable, operation):
    assert adam_operation(domain, variable).operation is operation


def test_kinds_and_parts():
    from study.formats.tables import SourceTable

    tables = [
        SourceTable(name, f"{name}.csv", "", pd.DataFrame(rows).astype("str"), {}, ())
        for name, rows in {"ADSL": ADSL, "ADVS": ADVS, "ADAE": ADAE}.items()
    ]
    model = study_model(tables, "USUBJID")
    assert (model.model, model.base, model.person) == ("adam", "ADSL", "USUBJID")
    kinds = {name: table.kind for name, table in model.tables.items()}
    assert kinds == {"ADSL": TableKind.PEOPLE, "ADVS": TableKind.FINDINGS, "ADAE": TableKind.EVENTS}
    group = model.column("ADSL", "AGEGR1")
    assert group is not None
    assert group.part_of == "AGE"


@pytest.mark.thorough("1 s: whole public exports; every form by small ones in the quick run")
@needs_shared_data
def test_figures_of_the_public_study_agree_in_both_models(tmp_path):
    """254 people of ADSL: the same classes by sex, race, ethnicity and age as the same people have by DM."""
    from study.formats.files import read_domain_file

    by_dm = read_domain_file(SHARED_DATA / "cdiscpilot01" / "dm.xpt").frame.set_index("USUBJID")
    folder = tmp_path / "adam"
    folder.mkdir()
    for path in (SHARED_DATA / "adam").iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    from study.merge.combine import combine_domains
    from tests.config_keys import settings_of_key

    combined = combine_domains(folder, settings_of_key("subject_id", {}), settings_of_key("merge", {})).frame
    assert len(combined) == 254
    of_adsl = combined.set_index("USUBJID")
    names = ["SEX", "RACE", "ETHNIC", "AGE"]
    sizes = of_adsl.groupby([f"ADSL__{name}" for name in names])["ADSL__SEX"].transform("size")
    expected = by_dm.loc[of_adsl.index].groupby(names)["SEX"].transform("size")
    assert sizes.sort_index().tolist() == expected.sort_index().tolist()
    assert (sizes < 5).sum() == (expected < 5).sum() > 0
