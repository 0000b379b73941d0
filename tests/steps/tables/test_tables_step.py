"""The step ``tables``, from a CSV file to what may leave: what is masked, what is said, and every fault at once."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.steps.running import StepInput, StepResult
from disclosure_control.steps.tables.files import CHECKS, PAGE
from disclosure_control.steps.tables.step import run_step
from tests.config_keys import faults_of_key, settings_of_key

EVENTS = """TERM,ARM,n,N,share
Any event,Placebo,70,86,81.4%
Any event,Active,77,84,91.7%
Headache,Placebo,23,86,26.7%
Headache,Active,31,84,36.9%
Rash,Placebo,3,86,3.5%
Rash,Active,22,84,26.2%
"""
SITES = """SEX,Athens,Patras,Total
F,20,30,50
M,4,46,50
Total,24,76,100
"""
EVENT_COLUMNS = {
    "file": "tables/events.csv",
    "dimensions": ["TERM", "ARM"],
    "counts": "n",
    "of": "N",
    "shares": "share",
    "several": "TERM",
    "total": "Any event",
}


def run(folder: Path, texts: dict[str, str], **settings: Any) -> StepResult:
    (folder / "tables").mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / "tables" / name).write_text(text, encoding="utf-8")
    given: Any = None
    return run_step(StepInput("P", folder, settings_of_key("tables", settings), given, given, {}))


def table_in(result: StepResult, name: str) -> pd.DataFrame:
    content = result.files[f"tables/{name}"]
    assert isinstance(content, bytes)
    return pd.read_csv(io.BytesIO(content), dtype="str")


def test_small_counts_and_their_shares_are_masked_and_others_stay(tmp_path):
    result = run(tmp_path, {"events.csv": EVENTS}, files=[EVENT_COLUMNS])
    released = table_in(result, "events.csv")
    rash = released[released["TERM"] == "Rash"]
    assert rash["n"].tolist() == ["masked", "22"]
    assert rash["share"].tolist() == ["masked", "26.2%"]
    assert released[released["TERM"] == "Headache"]["n"].tolist() == ["23", "31"]
    active = released[(released["TERM"] == "Any event") & (released["ARM"] == "Active")]
    assert "masked" in (active["n"].item(), active["N"].item()), "7 of 84 people had no event"


def test_a_wide_table_is_masked_so_that_totals_do_not_give_the_count(tmp_path):
    wide = {"file": "tables/sites.csv", "dimensions": "SEX", "across": "SITE"}
    released = table_in(run(tmp_path, {"sites.csv": SITES}, files=[wide]), "sites.csv")
    assert list(released.columns) == ["SEX", "Athens", "Patras", "Total"]
    assert released.loc[1, "Athens"] == "masked"
    assert (released == "masked").to_numpy().sum() == 4


def test_another_house_rounds_what_is_left(tmp_path):
    wide = {"file": "tables/sites.csv", "dimensions": "SEX", "across": "SITE"}
    released = table_in(run(tmp_path, {"sites.csv": SITES}, files=[wide], rules="opensafely"), "sites.csv")
    assert released.loc[0, "Patras"] == "30"
    assert released.loc[2, "Athens"] in ("25", "masked")
    assert released.loc[1, "Athens"] == "masked"


def test_ones_own_rules_are_read_from_the_pilots_folder(tmp_path):
    rules = {"name": "Ours", "source": "our handbook, 2026", "minimum": 4}
    wide = {"file": "tables/sites.csv", "dimensions": "SEX", "across": "SITE"}
    files = {"sites.csv": SITES, "ours.json": json.dumps(rules)}
    result = run(tmp_path, files, files=[wide], rules="tables/ours.json")
    assert (table_in(result, "sites.csv") != "masked").to_numpy().all()
    assert set(result.inputs) == {"tables/sites.csv", "tables/ours.json"}


def test_rounded_tables_add_up(tmp_path):
    wide = {"file": "tables/sites.csv", "dimensions": "SEX", "across": "SITE"}
    released = table_in(run(tmp_path, {"sites.csv": SITES}, files=[wide], method="round"), "sites.csv")
    numbers = released.drop(columns="SEX").astype(int)
    assert (numbers["Athens"] + numbers["Patras"] == numbers["Total"]).all()
    assert (numbers.loc[0] + numbers.loc[1] == numbers.loc[2]).all()
    assert (numbers % 10 == 0).to_numpy().all()


def test_no_masked_number_is_in_anything_that_is_handed_on(tmp_path):
    """7 men of Athens: no file has the numbers that are masked."""
    wide = {"file": "tables/sites.csv", "dimensions": "SEX", "across": "SITE"}
    result = run(tmp_path, {"sites.csv": SITES.replace("4,46", "7,43").replace("24,76", "27,73")}, files=[wide])
    assert result.hand_to_hand == {PAGE, "tables/sites.csv"}
    page = result.files[PAGE]
    assert isinstance(page, bytes)
    assert ">7<" not in page.decode()
    assert CHECKS in result.tables
    checks = result.tables[CHECKS]
    assert isinstance(checks, pd.DataFrame)
    assert len(checks) == 4
    assert (checks["proven_width"] > 0).all()
    assert (checks["proven_width"] >= checks["promised_width"]).all()
    assert set(checks[checks["rule"] != ""]["cell"]) >= {"SEX=M; SITE=Athens"}


def test_an_earlier_table_holds_what_would_be_its_difference(tmp_path):
    now, then = SITES, SITES.replace("M,4,46,50", "M,4,44,48").replace("24,76,100", "24,74,98")
    then = then.replace("F,20,30", "F,masked,masked").replace("M,4,44", "M,masked,masked")
    wide = {"file": "tables/sites.csv", "dimensions": "SEX", "across": "SITE", "earlier": "tables/then.csv"}
    result = run(tmp_path, {"sites.csv": now, "then.csv": then}, files=[wide])
    released = table_in(result, "sites.csv")
    assert released.loc[1, "Total"] == "masked", "2 men came"
    assert result.reasons_to_hold == ()


def test_what_left_before_may_hold_a_table_back(tmp_path):
    """The earlier table showed all of it, the 4 men too: nothing that is masked now takes that back."""
    wide = {"file": "tables/sites.csv", "dimensions": "SEX", "across": "SITE", "earlier": "tables/then.csv"}
    result = run(tmp_path, {"sites.csv": SITES, "then.csv": SITES}, files=[wide])
    (reason,) = result.reasons_to_hold
    assert "No table is written" in reason.sentence
    assert result.files == {}


def test_the_faults_of_all_files_come_at_once_and_name_no_value(tmp_path):
    files = {"sites.csv": SITES.replace("20,30", "x,-3"), "events.csv": EVENTS.replace("23,86", "23,85")}
    wide = {"file": "tables/sites.csv", "dimensions": "SEX", "across": "SITE"}
    absent = {"file": "tables/absent.csv", "dimensions": "SEX", "counts": "n"}
    with pytest.raises(FaultyInputError) as caught:
        run(tmp_path, files, files=[wide, EVENT_COLUMNS, absent], rules="tables/none.json")
    assert len(caught.value.faults) == 5
    assert "'of_by'" in str(caught.value) or '"of_by"' in str(caught.value)
    assert "x" not in [fault.split()[0] for fault in caught.value.faults]


def test_a_sum_needs_its_largest_contributors_where_the_house_asks_for_them(tmp_path):
    costs = "SITE,n,cost,one,two\nA,20,100,60,10\nB,30,100,10,9\nC,30,100,10,9\nTotal,80,300,60,10\n"
    columns = {"file": "tables/costs.csv", "dimensions": "SITE", "counts": "n", "sums": "cost"}
    with pytest.raises(FaultyInputError, match='"largest"'):
        run(tmp_path, {"costs.csv": costs}, files=[columns | {"hidden_with": ["one", "two"]}])
    with_largest = columns | {"largest": {"cost": ["one", "two"]}}
    released = table_in(run(tmp_path, {"costs.csv": costs}, files=[with_largest], rules="eurostat"), "costs.csv")
    assert list(released.columns) == ["SITE", "n", "cost"]
    assert released["cost"].tolist()[0] == "masked"
    assert (released["cost"] == "masked").sum() >= 2
    assert (released["n"] != "masked").all()


def test_every_fault_of_the_settings_is_named():
    faults = faults_of_key(
        "tables",
        {
            "method": "guess",
            "files": [
                {"file": "a.csv", "dimensions": "SEX"},
                {"file": "b/a.csv", "dimensions": "SEX", "across": "SITE", "of": "N", "several": "TERM"},
            ],
        },
    )
    assert any("suppress" in fault for fault in faults)
    assert any("exactly one of" in fault for fault in faults)
    assert any("is no dimension" in fault for fault in faults)


def test_a_table_of_totals_alone_is_read(tmp_path):
    total = "TERM,ARM,n,N\nAny event,Placebo,70,86\nAny event,Active,60,84\n"
    columns = {name: value for name, value in EVENT_COLUMNS.items() if name != "shares"}
    released = table_in(run(tmp_path, {"events.csv": total}, files=[columns]), "events.csv")
    assert released["n"].tolist() == ["70", "60"]


def test_no_table_at_all_is_a_fault():
    (fault,) = faults_of_key("tables", {"files": []})
    assert "names no table" in fault
    assert '"study": True' in fault
