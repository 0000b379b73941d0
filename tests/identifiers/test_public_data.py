"""On data that others published, what vetoes is what docs/identifiers.md lists and justifies, and nothing else."""

from __future__ import annotations

import pytest

from study.formats.files import find_domain_files, read_domain_file
from tests.identifiers.scanned import scan_table
from tests.places import SHARED_DATA

pytestmark = pytest.mark.skipif(not SHARED_DATA.is_dir(), reason="the public data are not beside the clone")
NOT_OF_SUBJECTS = ("TA", "TE", "TI", "TS", "TV")


def vetoing(folder, subject_column="USUBJID", only=None):
    found = set()
    for domain, path in find_domain_files(SHARED_DATA / folder).by_domain.items():
        if domain not in NOT_OF_SUBJECTS and (only is None or domain in only):
            frame = read_domain_file(path).frame
            found |= {(f.name, f.kind) for f in scan_table(domain, frame, subject_column).findings if f.vetoes}
    return found


CDISCPILOT = {("DM__SUBJID", "subject_id"), ("DM__DTHDTC", "death_date")}


@pytest.mark.thorough("0.9 s")
def test_demographics_of_the_cdisc_pilot_study():
    assert vetoing("cdiscpilot01", only=("DM", "SUPPDM", "SC", "DS")) == CDISCPILOT


@pytest.mark.thorough("4 s: half a million rows; its demographics are above")
def test_the_whole_cdisc_pilot_study():
    assert vetoing("cdiscpilot01") == CDISCPILOT


@pytest.mark.thorough("1 s")
def test_a_whole_study_of_28_domains():
    assert vetoing("dataset_json/whole_study/json") == {
        ("DM__SUBJID", "unique_code"),
        ("DM__DTHDTC", "death_date"),
        ("EC__SPDEVID", "subject_id"),
        ("EX__SPDEVID", "subject_id"),
    }


@pytest.mark.parametrize(
    ("folder", "domain", "expected"),
    [
        ("actg175", "AIDS_ORIGINAL_DATA", {"same_order", "unique_code"}),
        ("heart", "HEART", set()),
        ("adult", "ADULT", set()),
    ],
)
def test_plain_tables_whose_rows_are_people(folder, domain, expected):
    assert vetoing(folder, None, only=(domain,)) == {(f"{domain}__pidnum", kind) for kind in expected}
