"""Real SDTM without any merge setting, its values computed once more with plain pandas or by the slow referee."""

import functools
import hashlib

import pandas as pd
import pyreadstat
import pytest

from study.merge.combine import combine_domains
from study.merge.settings import MergeSettings
from study.merge.subject_ids import SubjectIdRule
from tests.config_keys import settings_of_key
from tests.study.merge.merge_files import (
    SHARED_DATA,
    assert_agrees_with_the_referee,
    columns_of,
    needs_shared_data,
    transport_records,
)

pytestmark = [
    needs_shared_data,
    pytest.mark.thorough("6 s over 306 subjects; test_merge_doors asks the referee about the shipped study"),
]

PILOT = SHARED_DATA / "cdiscpilot01"


@functools.cache
def xpt(name):
    """A file of the pilot, blanks missing."""
    return pyreadstat.read_xport(PILOT / f"{name}.xpt")[0].replace("", None)


@pytest.fixture(scope="module")
def combined():
    return combine_domains(PILOT, SubjectIdRule(), MergeSettings())


@pytest.fixture(scope="module")
def demographics():
    return xpt("dm").set_index("USUBJID")


# ---------------------------------------------------------------- shape


def test_the_columns_are_those_of_dm_and_one_for_each_measurement(combined, demographics):
    names = [name for name in demographics if name not in ("STUDYID", "DOMAIN", "SUBJID")]
    names += ["COMPLT16", "COMPLT24", "COMPLT8", "EFFICACY", "ITT", "SAFETY"]
    assert columns_of(combined, "DM") == [f"DM__{name}" for name in names]
    pressures = [f"{kind} Blood Pressure" for kind in ("Diastolic", "Systolic")]
    places = ["STANDING, AFTER STANDING FOR 1 MINUTE", "STANDING, AFTER STANDING FOR 3 MINUTES"]
    places.append("SUPINE, AFTER LYING DOWN FOR 5 MINUTES")
    expected = [f"VS__{test} [{place}]" for test in [*pressures, "Pulse Rate"] for place in places]
    expected += ["VS__Height", "VS__Temperature [EAR]", "VS__Temperature [ORAL CAVITY]", "VS__Weight"]
    assert sorted(columns_of(combined, "VS")) == sorted(expected)
    tests = {*xpt("lbch")["LBTEST"], *xpt("lbhe")["LBTEST"]}
    assert sorted(columns_of(combined, "LB")) == sorted(f"LB__{test}" for test in tests)
    assert columns_of(combined, "SC") == ["SC__Level of Education Attained"]
    others = [name for name in combined.frame if name[:4] not in ("DM__", "VS__", "LB__", "SC__")]
    assert others == ["USUBJID"]


def test_the_class_sizes_that_joining_long_domains_would_hide(combined, demographics):
    quasi_identifiers = ["SEX", "RACE", "ETHNIC", "AGE"]
    for people in (combined.frame.rename(columns=lambda name: name.removeprefix("DM__")), demographics):
        people = people.assign(AGE=people["AGE"].astype(float) // 10)
        sizes = people.groupby(quasi_identifiers, dropna=False)["SEX"].transform("size")
        assert (sizes < 5).sum() == 29


# ---------------------------------------------------------------- values, computed once more


@pytest.mark.parametrize(
    "domain", [*(pytest.param(name, marks=pytest.mark.thorough("2 to 3 s")) for name in ("VS", "LB")), "SC"]
)
def test_all_findings_are_as_the_referee_says(combined, domain):
    """Every one of some 11,000 values, and each count of the report, from 84,000 records."""
    paths = {"VS": ["vs"], "LB": ["lbch", "lbhe"], "SC": ["sc"]}[domain]
    records = transport_records(*(PILOT / f"{name}.xpt" for name in paths))
    subjects = transport_records(PILOT / "dm.xpt")
    assert_agrees_with_the_referee(combined.frame, combined.report["domains"][domain], domain, records, subjects)


# ---------------------------------------------------------------- the report, counted once more


def test_the_report_counts_what_the_files_hold(combined):
    report, paths = combined.report, sorted(PILOT.glob("*.xpt"))
    assert list(report["left_out"]) == ["ts.xpt"]
    frames = {path.name: xpt(path.stem) for path in paths if path.name != "ts.xpt"}
    assert {name: file["rows"] for name, file in report["inputs"].items()} == {
        name: len(frame) for name, frame in frames.items()
    }
    for path in paths:
        if path.name in frames:
            assert report["inputs"][path.name]["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    parts = {"LB": ["lbch.xpt", "lbhe.xpt"]}
    domains = [name[:2].upper() for name in frames if not name.startswith(("supp", "lb"))]
    assert sorted(report["domains"]) == sorted({*domains, "LB"})
    for domain, counts in report["domains"].items():
        records = pd.concat([frames[name] for name in parts.get(domain, [f"{domain.lower()}.xpt"])])
        assert counts["rows"] == len(records)
        assert counts["subjects"] == records["USUBJID"].nunique()
        assert counts["subjects_without_record"] == 306 - records["USUBJID"].nunique()
    assert report["subjects"] == 306


# ---------------------------------------------------------------- one data set in three formats


# ---------------------------------------------------------------- one study in three formats

STUDY = SHARED_DATA / "dataset_json" / "whole_study"


def test_a_whole_study_is_the_same_in_three_formats():
    """28 domains as JSON and DSJC; XPT has 27, without FT."""
    json, dsjc = (combine_domains(STUDY / form, SubjectIdRule(), MergeSettings()).frame for form in ("json", "dsjc"))
    pd.testing.assert_frame_equal(json, dsjc)
    without_ft = settings_of_key("merge", {"ignore": ["FT"]})
    expected = combine_domains(STUDY / "json", SubjectIdRule(), without_ft).frame
    pd.testing.assert_frame_equal(combine_domains(STUDY / "xpt", SubjectIdRule(), MergeSettings()).frame, expected)
    assert (json.shape, expected.shape) == ((18, 178), (18, 127))
