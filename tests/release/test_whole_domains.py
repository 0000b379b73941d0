"""Files of one domain: put together where the standard does not divide them so, with what refers to their rows."""

from __future__ import annotations

import pandas as pd
import pytest

from disclosure_control.release.whole_domains import with_whole_domains
from study.formats.tables import SourceTable
from study.models.registry import study_model
from tests.release.small_studies import table


def lb(person: str, number: int, result: str, **more) -> dict:
    return {"USUBJID": person, "DOMAIN": "LB", "LBSEQ": str(number), "LBTESTCD": "HGB", "LBORRES": result, **more}


def supp(person: str, number: int, value: str) -> dict:
    return {"USUBJID": person, "RDOMAIN": "LB", "IDVAR": "LBSEQ", "IDVARVAL": str(number), "QNAM": "X", "QVAL": value}


def put_together(files: dict[str, list[dict]], ignored=()) -> tuple[dict[str, pd.DataFrame], list[str]]:
    """The frames by data set, and the names of the files that were put together."""
    tables = [table("DM", [{"USUBJID": one, "DOMAIN": "DM"} for one in "AB"])]
    tables += [table(name, rows) for name, rows in files.items()]
    whole, gone = with_whole_domains(tables, study_model(tables, "USUBJID", "sdtm"), "USUBJID", ignored)
    return {one.domain: one.frame for one in whole}, sorted(gone)


def test_a_file_of_each_laboratory_leaves_in_one():
    found, gone = put_together({"LBGZ": [lb("A", 1, "x")], "LBLZ": [lb("B", 1, "y", LBSPEC="BLOOD")]})
    assert (list(found), gone) == (["DM", "LB"], ["lbgz.csv", "lblz.csv"])
    assert found["LB"]["LBORRES"].tolist() == ["x", "y"]
    assert found["LB"]["LBSPEC"].isna().tolist() == [True, False]
    assert found["LB"]["LBSEQ"].tolist() == ["1", "1"], "of two people: nothing is to be numbered"


@pytest.mark.parametrize("suffix", ["CAT", "SCAT"])
def test_a_division_by_category_is_that_of_the_standard(suffix):
    files = {
        "LBCH": [lb("A", 1, "x", **{f"LB{suffix}": "CHEMISTRY"})],
        "LBHE": [lb("A", 2, "y", **{f"LB{suffix}": "HEMATOLOGY"})],
    }
    found, _ = put_together(files)
    assert ("LBCH" in found) is (suffix == "CAT")


@pytest.mark.parametrize("categories", [("CHEMISTRY", "CHEMISTRY"), ("CHEMISTRY", None)])
def test_a_category_in_both_files_or_in_some_rows_divides_nothing(categories):
    one, other = categories
    files = {"LBGZ": [lb("A", 1, "x", LBCAT=one)], "LBLZ": [lb("B", 1, "y", LBCAT=other), lb("B", 2, "z", LBCAT="H")]}
    assert "LB" in put_together(files)[0]


def test_numbers_that_each_laboratory_began_anew_stay_those_of_one_record():
    """Both files have a record 1 of the same person, and a supplement of it."""
    files = {
        "LBGZ": [lb("A", 1, "x"), lb("A", 2, "xx")],
        "LBLZ": [lb("A", 1, "y")],
        "SUPPLBGZ": [supp("A", 1, "of x")],
        "SUPPLBLZ": [supp("A", 1, "of y")],
    }
    found, _ = put_together(files)
    assert set(found) == {"DM", "LB", "SUPPLB"}
    both = found["LB"].merge(found["SUPPLB"], left_on="LBSEQ", right_on="IDVARVAL")
    assert dict(zip(both["LBORRES"], both["QVAL"], strict=True)) == {"x": "of x", "y": "of y"}
    assert found["LB"]["LBSEQ"].nunique() == 3


def test_numbers_and_texts_of_two_laboratories_are_texts():
    files = {"LBGZ": [lb("A", 1, "x", LBSTRESN="5.0")], "LBLZ": [lb("B", 1, "y")]}
    tables = [table("DM", [{"USUBJID": one, "DOMAIN": "DM"} for one in "AB"])]
    tables += [table(name, rows) for name, rows in files.items()]
    number = tables[2].frame.assign(LBSTRESN=5.0)
    tables[2] = SourceTable("LBLZ", "lblz.csv", "", number, {}, ())
    whole, _ = with_whole_domains(tables, study_model(tables, "USUBJID", "sdtm"), "USUBJID", ())
    assert whole[1].frame["LBSTRESN"].tolist() == ["5", "5"]


def test_a_part_that_the_merge_ignores_stays_apart():
    files = {"LBGZ": [lb("A", 1, "x")], "LBLZ": [lb("B", 1, "y")]}
    assert set(put_together(files, ["LBLZ"])[0]) == {"DM", "LBGZ", "LBLZ"}


def test_a_domain_beside_a_part_of_it_keeps_its_file():
    found, gone = put_together({"LB": [lb("A", 1, "x")], "LBLZ": [lb("B", 1, "y")]})
    assert (list(found), gone, len(found["LB"])) == (["DM", "LB"], ["lblz.csv"], 2)
