"""Events and interventions: not joined unless the config asks; then counts and ever-flags per subject."""

import pandas as pd
import pytest

from tests.study.merge.merge_files import DM, columns_of, combine, faults_of, values

EVENTS = [
    {"USUBJID": "S1", "AESEQ": "1", "AETERM": "headache", "AEDECOD": "HEADACHE", "AEPTCD": "10019211"},
    {"USUBJID": "S1", "AESEQ": "2", "AETERM": "itching", "AEDECOD": "PRURITUS", "AEPTCD": "10037087"},
    {"USUBJID": "S1", "AESEQ": "3", "AETERM": "headache", "AEDECOD": "HEADACHE", "AEPTCD": "10019211"},
    {"USUBJID": "S3", "AESEQ": "1", "AETERM": "rash", "AEDECOD": "", "AEPTCD": ""},
]
SUBJECTS = [*DM, {"USUBJID": "S3", "RFSTDTC": ""}]


def with_events(tmp_path, flags, rows=EVENTS, name="ae.csv"):
    return combine(tmp_path, {"dm.csv": SUBJECTS, name: rows}, merge={"events": {"AE": flags}})


def test_events_are_not_joined_by_default(tmp_path):
    topics = {
        "ae": "AETERM",
        "mh": "MHDECOD",
        "cm": "CMTRT",
        "ex": "EXTRT",
        "ds": "DSTERM",
        "se": "ETCD",
        "sv": "VISITNUM",
    }
    rows = {f"{domain}.csv": [{"USUBJID": "S1", topic: text} for text in "12"] for domain, topic in topics.items()}
    combined = combine(tmp_path, {"dm.csv": DM, **rows})
    assert list(combined.frame) == ["USUBJID", "DM__RFSTDTC"]
    assert len(combined.frame) == 2
    counts = {"form": "events, not joined", "rows": 2, "subjects": 1, "subjects_without_record": 1}
    assert [combined.report["domains"][domain.upper()] for domain in topics] == [counts] * len(topics)


def test_counts_and_flags(tmp_path):
    combined = with_events(tmp_path, {"AEDECOD": ["HEADACHE", "DIZZINESS"], "AETERM": ["rash"]})
    expected = pd.DataFrame(
        {
            "AE__count": ["3", "0", "1"],
            "AE__AEDECOD=HEADACHE": ["Y", "N", "N"],
            "AE__AEDECOD=DIZZINESS": ["N", "N", "N"],
            "AE__AETERM=rash": ["N", "N", "Y"],
        }
    )
    found = combined.frame[columns_of(combined, "AE")]
    assert found.to_dict("list") == expected.to_dict("list")
    assert combined.report["domains"]["AE"]["form"] == "events"


def test_codes_are_compared_without_regard_to_case_and_as_a_whole(tmp_path):
    combined = with_events(tmp_path, {"AEDECOD": ["Headache", "HEAD", "headache"]})
    assert values(combined, "AE__AEDECOD=Headache")["S1"] == "Y"
    assert values(combined, "AE__AEDECOD=HEAD")["S1"] == "N"
    assert values(combined, "AE__AEDECOD=headache")["S1"] == "Y"


@pytest.mark.parametrize("name", ["ae.csv", "ae.xpt"])
def test_a_code_that_the_file_holds_as_a_number(tmp_path, name):
    """MedDRA codes are numbers in a transport file; the config's code is text, as codes are."""
    rows = pd.DataFrame(EVENTS)
    if name != "ae.csv":
        rows["AEPTCD"] = pd.to_numeric(rows["AEPTCD"])
    combined = with_events(tmp_path, {"AEPTCD": ["10019211"]}, rows, name)
    assert values(combined, "AE__AEPTCD=10019211") == {"S1": "Y", "S2": "N", "S3": "N"}


@pytest.mark.parametrize(("variable", "value"), [("AEOCCUR", "N"), ("AESTAT", "NOT DONE"), ("AEOCCUR", "n")])
def test_what_did_not_occur_does_not_count(tmp_path, variable, value):
    rows = [row | {variable: ""} for row in EVENTS]
    rows[0][variable] = rows[3][variable] = value
    combined = with_events(tmp_path, {"AEDECOD": ["HEADACHE", "PRURITUS"], "AETERM": ["rash"]}, rows)
    assert values(combined, "AE__count") == {"S1": "2", "S2": "0", "S3": "0"}
    assert values(combined, "AE__AEDECOD=HEADACHE")["S1"] == "Y"
    assert values(combined, "AE__AETERM=rash")["S3"] == "N"
    rows[2][variable] = value
    combined = with_events(tmp_path, {"AEDECOD": ["HEADACHE", "PRURITUS"]}, rows)
    assert values(combined, "AE__AEDECOD=HEADACHE")["S1"] == "N"


def test_an_unknown_variable_is_a_fault(tmp_path):
    files = {"dm.csv": SUBJECTS, "ae.csv": EVENTS}
    flags = {"AEDECOX": ["HEADACHE"], "AETERM": ["rash"], "AEBODSYX": ["SKIN"]}
    faults = faults_of(tmp_path, files, merge={"events": {"AE": flags}})
    assert len(faults) == 2
    for fault, variable in zip(faults, ("AEDECOX", "AEBODSYX"), strict=True):
        assert variable in fault
        assert "AE" in fault
        assert "merge" in fault
        assert "HEADACHE" not in fault
